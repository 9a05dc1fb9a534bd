"""Collections of positions, openings and games as text, a line an entry: FEN lists, opening lists, ballots, JSON lines.

PDN, which needs more than lines, is ``damd.notation.pdn``.
"""
