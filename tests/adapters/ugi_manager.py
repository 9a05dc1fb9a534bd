"""A tournament manager for UGI engines, which asks in the order of the generic one and believes as much as that does.

It reads ``bestmove`` and ``response`` as lines of exactly two words and passes over all others; it knows no rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from programs import Program


@dataclass
class Played:
    """A game: its plies as the engines wrote them, whose turn each was, and what both said at the end."""

    moves: list[str] = field(default_factory=list)
    turns: list[bool] = field(default_factory=list)
    results: tuple[str, str] = ("", "")
    over: tuple[bool, bool] = (False, False)


class Player(Program):
    """One engine, as the manager sees it."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("ugi", *arguments)
        self.send("ugi")
        self.until("ugiok")

    def two_words(self, first: str) -> str:
        while True:
            words = self.until(first)[-1].split()
            if len(words) == 2 and words[0] == first:
                return words[1]

    def ready(self) -> None:
        self.send("isready")
        self.until("readyok")

    def place(self, start: str, moves: list[str]) -> None:
        line = f"position {start}" if start == "startpos" else f"position fen {start}"
        self.send(line + (" moves " + " ".join(moves) if moves else ""))

    def query(self, question: str, start: str, moves: list[str]) -> str:
        self.place(start, moves)
        self.send(f"query {question}")
        return self.two_words("response")


def play(players: tuple[Player, Player], go: str, start: str = "startpos", most: int = 400) -> Played:
    """One game between the two; player 1 is the first. Ends after ``most`` plies at the latest."""
    game = Played()
    for player in players:
        player.ready()
    for player in players:
        player.send("uginewgame")
    while len(game.moves) < most:
        first = players[0].query("p1turn", start, game.moves) == "true"
        us = players[0] if first else players[1]
        us.ready()
        us.place(start, game.moves)
        if "true" in [player.query("gameover", start, game.moves) for player in players]:
            break
        us.send(go)
        game.turns.append(first)
        game.moves.append(us.two_words("bestmove"))
    over, results = [], []
    for player in players:
        player.ready()
        over.append(player.query("gameover", start, game.moves) == "true")
        results.append(player.query("result", start, game.moves))
    game.over, game.results = (over[0], over[1]), (results[0], results[1])
    return game
