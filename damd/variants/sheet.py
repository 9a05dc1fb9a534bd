"""The rule sheet: the rules in force, in plain English sentences.

Every key of ``Rules`` that has an effect is told; a key that the other keys leave without effect (where a king
that goes one step may land, say) is not.
"""

from __future__ import annotations

from damd.geometry import BACKWARD_DIAGONAL, DIRECTION_WORDS, FORWARD_DIAGONAL, Board
from damd.rules import Rules
from damd.variants.points import parse_points

_DIRECTIONS = {
    "forward": "straight forward",
    "backward": "straight backward",
    "sideways": "sideways",
    "forward-diagonal": "diagonally forward",
    "backward-diagonal": "diagonally backward",
}
_SMALL_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_CRITERIA = {
    "pieces": "it must take the largest number of pieces",
    "value": "it must take the greatest value, a king counting a little less than two men",
    "by-king": "it must be made by a king if a king can make one",
    "kings": "it must take the largest number of kings",
    "earliest-king": "it must take a king as early as possible",
}


def describe(rules: Rules) -> list[str]:
    """The rules in force, a sentence or a few closely related ones an item, from the names to the notation."""
    board = rules.geometry
    return [
        *_names(rules),
        *_board(rules, board),
        *_start(rules, board),
        *_men(rules, board),
        *_kings(rules, board),
        *_captures(rules),
        *_choice(rules),
        *_promotion(rules, board),
        *_penalty(rules),
        *_end(rules),
        *_notation(rules),
    ]


def _names(rules: Rules) -> list[str]:
    names = rules.names
    sentences = [f"This is {names.title} (variant {names.name})."]
    if names.aliases:
        sentences.append(f"It may also be called {_listed(names.aliases, 'or')}.")
    if names.source:
        sentences.append(f"Its rules come from {names.source}.")
    return sentences


def _board(rules: Rules, board: Board) -> list[str]:
    if board.kind == "tailed":
        return [
            f"The board has {board.size} points on {len(board.lines)} straight lines: a square of 5 by 5 points with a "
            "triangle, the tail, at either end. Pieces move and jump along the lines only."
        ]
    corner = "is not one of them" if rules.board.mirrored else "is one of them"
    size = f"{rules.board.columns} columns and {rules.board.rows} rows"
    if board.kind == "square":
        return [f"The board has {size}, and the game is played on all {board.size} squares."]
    sentences = [
        f"The board has {size}, and the game is played on the {board.size} squares of one colour; seen from White, the "
        f"bottom left corner {corner}."
    ]
    if rules.board.numbering == "top-left":
        sentences.append("Seen from White, square 1 is at the top left, and the numbers run to the right and then down.")
    else:
        sentences.append("Seen from White, square 1 is at the bottom right, and the numbers run to the left and then up.")
    return sentences


def _start(rules: Rules, board: Board) -> list[str]:
    start = rules.start
    white, black = (len(parse_points(text, board)) for text in (start.white, start.black))
    first, second = ("White", "Black") if start.first == "white" else ("Black", "White")
    sentences = [f"White starts with {_men_count(white)} on {start.white}, Black with {_men_count(black)} on {start.black}."]
    if start.by_agreement:
        sentences.append(f"The players agree who moves first; where nothing is agreed it is {first}.")
    else:
        sentences.append(f"{first} moves first, then {second}, and so on in turn.")
    return sentences


def _men_count(count: int) -> str:
    return "1 man" if count == 1 else f"{count} men"


def _men(rules: Rules, board: Board) -> list[str]:
    men = rules.men
    sentences = [f"A man moves one {_place(board)} {_directions(men.moves, board)}."]
    if _goes_straight(rules, board):
        sentences.insert(0, "Along rows and columns the next square is the next one that is played on, two squares away.")
    if men.captures:
        victim = "piece" if men.take_kings else "man"
        sentences.append(
            f"A man captures by jumping {_directions(men.captures, board)} over an adjacent opposing {victim} to the free "
            f"{_place(board)} right behind it."
        )
        sentences.append("Men may capture kings." if men.take_kings else "Men may not capture kings.")
    else:
        sentences.append("A man cannot capture.")
    return sentences


def _kings(rules: Rules, board: Board) -> list[str]:
    king, place = rules.king, _place(board)
    moves = _directions(king.moves, board)
    if king.flying:
        sentences = [f"A king moves any distance over free {place}s {moves}."]
    else:
        sentences = [f"A king moves one {place} {moves}."]
    if not king.captures:
        sentences.append("A king cannot capture.")
    else:
        sentences.append(_king_capture(rules, board))
        if not king.about_turn:
            sentences.append("Between two jumps of one capture a king may not turn by 180 degrees.")
    if king.quiet_limit:
        times = "once" if king.quiet_limit == 1 else f"{_number(king.quiet_limit)} times"
        sentences.append(
            f"While its side still has a man, the same king may make a quiet move at most {times} in a row; any other move "
            "of its side, or a capture, sets it free again."
        )
    elif king.flying:
        sentences.append("There is no limit on how often the same king may move in a row.")
    return sentences


def _king_capture(rules: Rules, board: Board) -> str:
    king, place = rules.king, _place(board)
    directions = _directions(king.captures, board)
    if not king.flying:
        return f"A king captures {directions}, jumping over an adjacent opposing piece to the free {place} right behind it."
    distance = "from any distance" if king.capture == "far" else "only a piece next to it"
    landing = {
        "any": f"it lands on any free {place} behind the captured piece, with nothing in between",
        "behind": f"it lands on the {place} right behind the captured piece",
        "behind-king": f"it lands on any free {place} behind the captured piece, with nothing in between, but where the "
        "last piece captured is a king it must halt right behind that",
    }[king.landing]
    return f"A king captures {distance}, {directions}; {landing}."


def _captures(rules: Rules) -> list[str]:
    capture, king = rules.capture, rules.king
    sentences = []
    if capture.compulsory:
        sentences.append("A player who can capture must capture.")
    else:
        sentences.append("Capturing is free: a player who can capture may make another move instead.")
    if capture.going_on == "duty":
        sentences.append("A capture that can go on with the same piece must go on.")
    else:
        sentences.append("A capture that can go on with the same piece may go on or stop after any jump, without a penalty.")
    if king.captures and king.flying and king.landing != "behind":
        if capture.landing_goes_on:
            sentences.append("Where some of a king's landing squares let the capture go on, it must choose one of these.")
        else:
            sentences.append(
                "A king chooses freely between its landing squares, even if another one would let the capture go on."
            )
    if capture.removal == "at-once":
        sentences.append("Each captured piece leaves the board at once, before the next jump.")
    else:
        sentences.append(
            "Captured pieces leave the board when the whole capture is over; until then they block the way and cannot be "
            "jumped a second time."
        )
    return sentences


def _choice(rules: Rules) -> list[str]:
    choice = rules.capture.choice
    if not choice:
        return ["Between several captures the player chooses freely."]
    if len(choice) == 1:
        return [f"Not every capture will do: {_CRITERIA[choice[0]]}."]
    steps = "; then, ".join(_CRITERIA[criterion] for criterion in choice)
    return [
        f"Not every capture will do: {steps}. "
        "Each of these chooses only between captures that are equal by the ones before it."
    ]


def _promotion(rules: Rules, board: Board) -> list[str]:
    promotion, place = rules.promotion, _place(board)
    zone = {
        "far-row": "the far row of the board",
        "tail": "any point of the opponent's tail",
    }[promotion.zone]
    sentences = [f"A man that ends its move on {zone} becomes a king."]
    sentences.append(
        {
            "stop": "A man that gets there in the middle of a capture becomes a king, and the capture ends there.",
            "as-man": "A man that gets there in the middle of a capture goes on as a man and is not promoted unless the "
            "capture also ends there.",
            "as-king": f"A man that gets there in the middle of a capture is a king from that {place} on and goes on "
            "capturing as one.",
        }[promotion.in_capture]
    )
    if promotion.few_pieces:
        left = "one piece" if promotion.few_pieces == 1 else f"{_number(promotion.few_pieces)} pieces or fewer"
        sentences.append(f"A side that is left with {left} has all of them made kings at the end of the ply.")
    return sentences


def _penalty(rules: Rules) -> list[str]:
    penalty = rules.penalty
    if not rules.capture.compulsory:
        return []
    if not penalty.take:
        return ["A move that misses a capture is illegal."]
    count = _number(penalty.take)
    fewer = " (all of them if there are fewer)" if penalty.take > 1 else ""
    which = {
        "capable-piece": f"{count} of the pieces that failed to capture{fewer}",
        "any-piece": f"any {count} of that player's pieces{fewer}",
    }[penalty.liable]
    sentences = [f"Missing a capture is legal, but then the opponent may take {which} off the board before moving."]
    if rules.capture.going_on == "duty":
        stopped = "; only the piece that stopped has then failed" if penalty.liable == "capable-piece" else ""
        sentences.append(f"Stopping a capture that can go on is a miss as well{stopped}.")
    sentences.append("Such a claim does not cost the turn. It may be waived, and the right to it lapses with the next move.")
    return sentences


def _end(rules: Rules) -> list[str]:
    end = rules.end
    result = "loses" if end.no_moves == "loss" else "wins"
    sentences = [f"A player without pieces, or without a legal move when it is that player's turn, {result}."]
    if end.one_each:
        sentences.append("The game is drawn as soon as each side has one piece left.")
    if end.repetition:
        sentences.append(
            f"The game is drawn when the same position, with the same side to move and the same rights, occurs for the "
            f"{_ORDINALS[end.repetition]} time."
        )
    else:
        sentences.append("Repeating a position does not end the game.")
    if end.move_limit:
        moves = "one move" if end.move_limit == 1 else f"{end.move_limit} moves"
        sentences.append(
            f"The game is drawn after {moves} of each side without a capture, a claim, a promotion or a forward move of a "
            "man."
        )
    else:
        sentences.append("No number of moves without a capture ends the game.")
    return sentences


def _notation(rules: Rules) -> list[str]:
    notation, names = rules.notation, rules.names
    written = "by their numbers" if notation.squares == "numeric" else "by column letter and row number"
    sentences = [
        f'Squares are written {written}; game records write a capture with "{notation.separator}".',
    ]
    if names.gametype:
        sentences.append(f"Its PDN GameType is {names.gametype}.")
    if names.hub:
        sentences.append(f'The Hub protocol calls it "{names.hub}".')
    return sentences


def _directions(words: tuple[str, ...], board: Board) -> str:
    chosen = [word for word in DIRECTION_WORDS if word in words]
    if len(chosen) > 1 and set(chosen) == {direction.word(0) for direction in board.directions}:
        return "in every direction"
    if set(chosen) == {FORWARD_DIAGONAL, BACKWARD_DIAGONAL}:
        return "diagonally forward or backward"
    return _listed([_DIRECTIONS[word] for word in chosen], "or")


def _goes_straight(rules: Rules, board: Board) -> bool:
    """True where pieces leave the diagonals of a chequered board."""
    used = {*rules.men.moves, *rules.men.captures, *rules.king.moves, *rules.king.captures}
    return board.kind == "diagonal" and not used <= {FORWARD_DIAGONAL, BACKWARD_DIAGONAL}


def _place(board: Board) -> str:
    return "point" if board.kind == "tailed" else "square"


def _listed(words: list[str] | tuple[str, ...], last: str) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _number(count: int) -> str:
    return _SMALL_NUMBERS[count] if count < len(_SMALL_NUMBERS) else str(count)
