"""The other way round: a program that does not speak damd's protocol behind an adapter that does.

``engine`` is what an adapter has to write about the foreign program, ``session`` answers the lines of damd's protocol
with it and with damd's own rules, ``desk`` decides when, ``serve`` reads and writes them on stdin and stdout.
"""
