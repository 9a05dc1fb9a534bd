"""The core: positions, plies and search over bitboards, compiled where a C compiler was there, else interpreted.

``board`` and ``search`` are the one source of both. The build compiles them twice, as ``narrow`` (boards of at
most 64 bits) and ``wide`` (at most 128).
"""
