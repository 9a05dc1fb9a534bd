"""Small separate programs between damd's protocol and those that other draughts programs speak.

Each drives an engine's process through ``damd.client``; any engine that speaks damd's protocol will do.
"""
