"""The core agrees with two other libraries about random positions of the games that they know.

Captures are compared by where they begin, where they end and the position after them, not by how they are written.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from damd.variants import names
from outside import rules_of
from peers import PEERS, Session, asked_rules, fen_for_peers, plies, positions

ORDINARY = 40
LONG = 500

PAIRS = [(library, variant) for library, peer in PEERS.items() for variant in peer.names]


@pytest.fixture(scope="module")
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    peer = PEERS[request.param]
    if not peer.package.installed:
        pytest.skip(f"{request.param} is not installed: python tests/peers.py")
    session = Session(peer)
    yield session
    session.close()


def require_agreement(session: Session, variant: str, count: int, seed: int) -> None:
    rules = asked_rules(rules_of(variant))
    for setup in positions(rules, count, seed, variant in session.peer.men_alone):
        fen = fen_for_peers(setup, rules)
        assert session.plies(variant, rules, fen) == plies(rules, setup), fen


@pytest.mark.parametrize(("session", "variant"), PAIRS, indirect=["session"])
def test_random_positions(session: Session, variant: str) -> None:
    require_agreement(session, variant, ORDINARY, 1)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("session", "variant"), PAIRS, indirect=["session"])
def test_many_random_positions(session: Session, variant: str) -> None:
    require_agreement(session, variant, LONG, 2)


@pytest.mark.parametrize("library", PEERS)
def test_every_game_of_the_family_is_asked_about_or_left_out_for_a_reason(library: str) -> None:
    peer = PEERS[library]
    family = {name for name in names() if not name.startswith("dam")}
    assert peer.names.keys() | peer.left_out.keys() == family
    assert not peer.names.keys() & peer.left_out.keys()
    assert peer.men_alone.keys() <= peer.names.keys()
