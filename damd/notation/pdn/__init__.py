"""PDN 3.0: games read liberally from any file, and written strictly.

``read_games`` gives one game at a time with what is wrong with it; ``write_game`` writes one, ``Writer`` many.
``pdn.lark`` beside this file is the grammar of what is written; ``pdn.md`` says what is read.
"""

from damd.notation.pdn.clocks import Clock, clocks, format_clock
from damd.notation.pdn.gametypes import pdn_squares
from damd.notation.pdn.model import Command, Comment, Fault, Game, Line, Node, ReadGame, Verdict
from damd.notation.pdn.reading import Reading, read_games
from damd.notation.pdn.settling import Played, play_texts
from damd.notation.pdn.short import short_ply
from damd.notation.pdn.writing import Writer, write_game

__all__ = [
    "Clock",
    "Command",
    "Comment",
    "Fault",
    "Game",
    "Line",
    "Node",
    "Played",
    "ReadGame",
    "Reading",
    "Verdict",
    "Writer",
    "clocks",
    "format_clock",
    "pdn_squares",
    "play_texts",
    "read_games",
    "short_ply",
    "write_game",
]
