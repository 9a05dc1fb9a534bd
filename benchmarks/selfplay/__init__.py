"""Small self-play matches between engines that speak the protocol; ``benchmarks/strength.py`` is their command line."""
