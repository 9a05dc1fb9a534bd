"""Positions of each game with one winning ply, and the finder that made them."""
