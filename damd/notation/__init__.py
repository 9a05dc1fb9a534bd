"""Texts of positions and plies: FEN, ply notation and the board drawn for a terminal."""
