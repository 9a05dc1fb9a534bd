"""Random games with everything that PDN can say about them, for tests of the writer and the reader."""

from __future__ import annotations

from random import Random

from damd.core.position import Position, start_setup
from damd.core.types import Setup
from damd.notation.pdn import Command, Comment, Game, Line, Node, Verdict
from damd.rules import Rules

_WORDS = ("a fine ply", "zwart staat beter", "ход", "100 %", "see [1]", "32-28 was better; 1-0", "{", "* and (so) on", '"q"')
_COMMANDS = (Command("clk", "0:09:57"), Command("clock", "w0:10:00 B0:09:58"), Command("emt", "3.5"), Command("x"))
_TAGS = (
    ("Event", 'The "big" \\ cup'),
    ("Белые", "Иванов"),
    ("Site", "Kuala Lumpur"),
    ("Annotator", "x\\"),
    ("Round", "1.2"),
)
_SCORES = ((Verdict.DRAW, "1+ - 1-"), (Verdict.DRAW, "6-6"))


def random_game(rules: Rules, random: Random, plies: int = 40) -> Game:
    """A game under ``rules``, from its start position or another one."""
    position = Position(rules)
    start: Setup | None = None
    if random.random() < 0.4:
        for _ in range(random.randrange(30)):
            _play_one(position, random)
        start = position.setup()
    line = _line(rules, start or start_setup(rules), random, plies, 0)
    verdict, score = random.choice([*((verdict, "") for verdict in Verdict), *_SCORES])
    tags = tuple(tag for tag in _TAGS if random.random() < 0.5)
    return Game(rules, tags, start, line, verdict, score)


def _line(rules: Rules, start: Setup, random: Random, plies: int, depth: int) -> Line:
    position = Position(rules, start)
    nodes: list[Node] = []
    # A variation says something.
    comments = _comments(random) or ((Comment("here"),) if depth and not random.randrange(9) else ())
    for _ in range(random.randrange(1, plies + 1)):
        before = position.setup()
        if random.random() < 0.02:
            before = Setup(1 - before.side, before.men, before.kings)
            nodes.append(Node(setup=before, comments=_comments(random)))
            position.set(before)
            continue
        legal = position.plies()
        if not legal:
            break
        # Captures and claims more often than chance: they are what is hard to spell.
        ply = max(random.sample(legal, min(3, len(legal))), key=lambda ply: len(ply.captured))
        variations = []
        while depth < 2 and random.random() < 0.06:
            variations.append(_line(rules, before, random, 6, depth + 1))
        nodes.append(
            Node(
                ply,
                strength=random.choice(("", "", "", "", "!", "?!", "(?)", "!!")),
                nags=tuple(random.sample(range(140), random.choice((0, 0, 0, 0, 1, 2)))),
                comments=_comments(random),
                variations=tuple(line for line in variations if line.nodes or line.comments),
            )
        )
        position.play(ply)
    return Line(tuple(nodes), comments)


def _comments(random: Random) -> tuple[Comment, ...]:
    if random.random() < 0.85:
        return ()
    text = " ".join(random.sample(_WORDS, random.randrange(3)))
    return (Comment(text, tuple(random.sample(_COMMANDS, random.randrange(3)))),) * random.choice((1, 1, 2))


def _play_one(position: Position, random: Random) -> None:
    legal = position.plies()
    if legal:
        position.play(random.choice(legal))
