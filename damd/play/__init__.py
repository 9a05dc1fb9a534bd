"""``damd play``: a person against an engine, or two persons, or two engines, in a terminal.

The engine is a process that speaks the protocol, driven through ``damd.client``; what is legal, how the game ends and
how the board is drawn comes from the core and ``damd.notation``, so that any engine may sit at the other side.
"""
