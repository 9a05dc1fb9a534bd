"""Rules of games that are not offered yet: they show that the rules as data carry them too."""

from __future__ import annotations

from dataclasses import replace

from damd.geometry import BACKWARD, BACKWARD_DIAGONAL, FORWARD, FORWARD_DIAGONAL, SIDEWAYS
from damd.rules import BoardRules, CaptureRules, KingRules, MenRules, PromotionRules, Rules, StartRules

BOTH_DIAGONALS = (FORWARD_DIAGONAL, BACKWARD_DIAGONAL)

KILLER = Rules(
    board=BoardRules(columns=10, rows=10),
    men=MenRules(captures=BOTH_DIAGONALS),
    king=KingRules(landing="behind-king"),
    capture=CaptureRules(choice=("pieces",)),
    start=StartRules(white="31-50", black="1-20"),
)
CANADIAN = replace(
    KILLER,
    board=BoardRules(columns=12, rows=12),
    king=KingRules(),
    start=StartRules(white="43-72", black="1-30"),
)
BRAZILIAN = replace(KILLER, board=BoardRules(), king=KingRules(), start=StartRules(white="21-32", black="1-12"))
POOL = replace(BRAZILIAN, capture=CaptureRules(), start=StartRules(white="21-32", black="1-12", first="black"))
CZECH = Rules(
    capture=CaptureRules(choice=("by-king",)),
    promotion=PromotionRules(in_capture="stop"),
    start=StartRules(white="21-32", black="1-12"),
)
SPANISH = Rules(
    board=BoardRules(mirrored=True, numbering="bottom-right"),
    capture=CaptureRules(choice=("pieces", "kings")),
    promotion=PromotionRules(in_capture="stop"),
    start=StartRules(white="1-12", black="21-32"),
)
THAI = Rules(
    board=BoardRules(numbering="bottom-right"),
    king=KingRules(landing="behind"),
    capture=CaptureRules(removal="at-once"),
    promotion=PromotionRules(in_capture="stop"),
    start=StartRules(white="1-8", black="25-32", first="black"),
)
TURKISH = Rules(
    board=BoardRules(kind="square"),
    men=MenRules(moves=(FORWARD, SIDEWAYS), captures=(FORWARD, SIDEWAYS)),
    king=KingRules(
        moves=(FORWARD, BACKWARD, SIDEWAYS),
        captures=(FORWARD, BACKWARD, SIDEWAYS),
        about_turn=False,
    ),
    capture=CaptureRules(removal="at-once", choice=("pieces",)),
    start=StartRules(white="a3-h3,a2-h2", black="a7-h7,a6-h6"),
)
FRISIAN_CAPTURES = (FORWARD, BACKWARD, SIDEWAYS, *BOTH_DIAGONALS)
FRYSK = Rules(
    board=BoardRules(columns=10, rows=10),
    men=MenRules(captures=FRISIAN_CAPTURES),
    king=KingRules(captures=FRISIAN_CAPTURES),
    capture=CaptureRules(choice=("value", "by-king")),
    start=StartRules(white="46-50", black="1-5"),
)

#: The names that ``data/perft.json`` uses.
FAMILY = {
    "killer": KILLER,
    "canadian": CANADIAN,
    "brazilian": BRAZILIAN,
    "pool": POOL,
    "czech": CZECH,
    "spanish": SPANISH,
    "portuguese": SPANISH,
    "thai": THAI,
    "turkish": TURKISH,
    "frysk": FRYSK,
}
