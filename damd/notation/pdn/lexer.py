"""The words of movetext, a line at a time.

A ply is one word, ``4x31x42``, however it is written; whether it is one is asked later. Every word of the language is
in one expression, tried in this order: what is longer and rarer before what it begins like.
"""

from __future__ import annotations

import re

from damd.notation.pdn.comments import fit

PLY = "ply"  # squares with or without something between, or a claim
NUMERAL = "numeral"  # digits alone: 3228, or a number without its dot
NUMBER = "number"
DOTS = "dots"
MARK = "mark"  # ! ? and the like, also in parentheses
STAR = "star"
RESULT = "result"
POINTS = "points"  # a result that only the Result tag can confirm: 1.01-0.99, 1+ - 1-
NAG = "nag"
COMMENT = "comment"
REMARK = "remark"  # the rest of a line behind a semicolon
IGNORED = "ignored"  # the rest of a line behind a percent sign
OPEN = "open"
CLOSE = "close"
TAG = "tag"
SETUP = "setup"
NULL = "null"
OTHER = "other"

_LETTERED = "[a-lA-L]1?[0-9]"
_SQUARE = rf"(?:\d{{1,3}}|{_LETTERED})"
_BETWEEN = r"[-xX:–—−×]"

WORDS = re.compile(
    rf"""
    (?P<number>\d{{1,5}}(?:\.+|…)(?!\d+-\d+\.\d))
  | (?P<result>(?:1/2\s*-\s*1/2|½\s*-\s*½|1\s*-\s*[01]|0\s*-\s*[012]|2\s*-\s*0)(?![\d:xX/.+-]))
  | (?P<points>\d+(?:\.\d+)\s*-\s*\d+(?:\.\d+)?(?![\w:.-])|\d+[+-]\s+-\s+\d+[+-]?(?=\s|$))
  | (?P<ply>
        {_LETTERED}(?:\s*{_BETWEEN}\s*|\*|\s*){_LETTERED}(?:{_BETWEEN}?{_LETTERED})*(?![\w])
      | {_SQUARE}(?:\s*{_BETWEEN}\s*|\*){_SQUARE}(?:{_BETWEEN}{_SQUARE})*(?![\w])
      | (?:[xX×]\s+(?=\w+(?![\w.]))|[xX:×]){_SQUARE}(?:[xX:×]{_SQUARE})*(?![\w])
    )
  | (?P<numeral>\d{{1,6}}(?!\w))
  | (?P<mark>[!?‼⁇⁈⁉]+|\([!?]+\))
  | (?P<dots>\.+|…)
  | (?P<nag>\$\d{{1,5}})
  | (?P<comment>\{{)
  | (?P<open>\()
  | (?P<close>\))
  | (?P<star>\*)
  | (?P<tag>\[\s*(?P<name>[^\W\d_][\w+-]*)\s*"(?P<value>(?:[^"\\]|\\.)*)"\s*\]
      | \[\s*(?P<loose_name>[^\W\d_][\w+-]*)\s+"?(?P<loose_value>.{{0,1000}}?)"?\s*\](?=\s*(?:\[|$)))
  | (?P<setup>/\s*[Ff][Ee][Nn]\s*"(?P<fen>[^"]*)"\s*/)
  | (?P<remark>;.*)
  | (?P<ignored>%.*)
  | (?P<null>--+|-\s+-|—)
  | (?P<other>[,/+&](?={_SQUARE}{_BETWEEN}{_SQUARE}(?!\w))|[^\s(){{}}\[\];*$!?]+|\S)
    """,
    re.VERBOSE,
)

_TYPOGRAPHY = str.maketrans({"–": "-", "—": "-", "−": "-", "×": "x", "*": "x"})
_MARKS = str.maketrans({"‼": "!!", "⁇": "??", "⁈": "?!", "⁉": "!?"})


def plain_ply(text: str) -> str:
    """A ply's word without blanks, in the signs that every reader of plies knows."""
    return "".join(text.split()).translate(_TYPOGRAPHY)


def plain_mark(text: str) -> str:
    return text.translate(_MARKS)


def unescaped(value: str) -> str:
    r"""A tag's value as it is meant: ``\"`` is a quote, ``\\`` a backslash, any other backslash itself."""
    return re.sub(r'\\(["\\])', r"\1", value) if "\\" in value else value


def escaped(value: str) -> str:
    """The inverse of ``unescaped``, on one line, of characters that text may have (``fit``)."""
    return fit(value).replace("\\", "\\\\").replace('"', '\\"')
