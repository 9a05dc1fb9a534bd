"""What is wrong with a variant file that does not load, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from damd import variants
from damd.variants import VariantError
from damd.variants.loader import examine
from variant_files import fault, faults, write


class TestBases:
    def test_unknown(self, tmp_path: Path) -> None:
        key, message = fault(write(tmp_path, 'base = "dam-haij"'))
        assert key == "base"
        assert message == 'no variant "dam-haij", neither built in nor beside this file; did you mean "dam-haji"?'

    def test_not_a_text(self, tmp_path: Path) -> None:
        assert fault(write(tmp_path, "base = 3")) == ("base", "must be a text, not 3")

    def test_no_path(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "other.toml").write_text('base = "dam"')
        assert fault(write(tmp_path, 'base = "sub/other"'))[0] == "base"

    def test_itself(self, tmp_path: Path) -> None:
        assert fault(write(tmp_path, 'base = "mine"')) == ("base", "the bases go round in a circle: mine -> mine")

    def test_a_circle(self, tmp_path: Path) -> None:
        write(tmp_path, 'base = "two"', "one")
        write(tmp_path, 'base = "three"', "two")
        file = write(tmp_path, 'base = "one"', "three")
        assert faults(file) == ["base: the bases go round in a circle: three -> one -> two -> three"]

    def test_faults_of_the_base_are_told_with_its_file(self, tmp_path: Path) -> None:
        base = write(tmp_path, 'base = "dam"\n[king]\nflies = true\n', "broken")
        found = examine(write(tmp_path, 'base = "broken"\n[capture]\nremovall = "at-once"\n')).faults
        assert {(one.file == base, one.key) for one in found} == {(True, "king.flies"), (False, "capture.removall")}


#: The beginning of a draw rule that holds in any ending.
DRAW = "[[end.draws]]\nname = 'short'\nlimit = 3\n"

#: A text after ``base = "dam-haji"`` and the one fault it has.
SINGLE_FAULTS = [
    ("[kings]\nflying = false", "kings", 'unknown section; did you mean "king"?'),
    ("[zzz]", "zzz", "unknown section"),
    ("landing = 'any'", "landing", "unknown key; the key belongs into [king]"),
    ("zzz = 1", "zzz", "unknown key"),
    ("king = 3", "king", "must be a section, not 3"),
    ("king.fliyng = true", "king.fliyng", 'unknown key; did you mean "flying"?'),
    ("king.quiet-limit = 3", "king.quiet-limit", 'unknown key; did you mean "quiet_limit"?'),
    ("capture.take_kings = false", "capture.take_kings", "unknown key; [men] has such a key"),
    ("king.zzz = 1", "king.zzz", "unknown key"),
    ("king.flying = 1", "king.flying", "must be true or false, not 1"),
    ("king.flying = 'yes'", "king.flying", 'must be true or false, not "yes"'),
    ("end.move_limit = true", "end.move_limit", "must be a whole number, not true"),
    ("end.move_limit = 2.5", "end.move_limit", "must be a whole number, not 2.5"),
    ("end.move_limit = 1001", "end.move_limit", "must be 0 to 1000, not 1001"),
    ("end.one_each = true", "end.one_each", "must be a text, not true"),
    ("end.one_each = 'atonce'", "end.one_each", '"unless-capture"; did you mean "at-once"?'),
    ("end.draws = 3", "end.draws", "must be rows: write [[end.draws]], or end.draws = [] for none"),
    ("end.draws = [3]", "end.draws", "must be rows"),
    (f"{DRAW}one = 3", "end.draws[1].one", 'must be a table such as {pieces = "1-3", kings = "1+"}'),
    (f"{DRAW}ohter = {{}}", "end.draws[1].ohter", 'unknown key; did you mean "other"?'),
    (f"{DRAW}one.peices = 3", "end.draws[1].one.peices", 'unknown key; did you mean "pieces"?'),
    (f"{DRAW}one.pieces = '3-1'", "end.draws[1].one.pieces", 'must be a number of pieces, "2-3" or "2+"'),
    (f"{DRAW}pieces = true", "end.draws[1].pieces", 'must be a number of pieces, "2-3" or "2+"'),
    (f"{DRAW}main_road = 'weak'", "end.draws[1].main_road", '"weak" is not one of "nobody", "one", "other"'),
    (f"{DRAW}unless_capture = 1", "end.draws[1].unless_capture", "must be true or false, not 1"),
    ("[[end.draws]]\nname = 'x'", "end.draws[1].limit", "says after how many moves"),
    ("[[end.draws]]\nlimit = 3", "end.draws[1].name", "a draw rule needs a name"),
    ("[[end.draws]]\nname = 'x'\nlimit = 0", "end.draws[1].limit", "must be 1 to 1000, not 0"),
    ("[[end.draws]]\nname = 'A b'\nlimit = 3", "end.draws[1].name", '"A b" cannot be a name'),
    ("[[end.draws]]\nname = 'move-limit'\nlimit = 3", "end.draws[1].name", "what the count of end.move_limit is called"),
    ("end.repetition = -1", "end.repetition", "must be 0 to 9, not -1"),
    ("king.quiet_limit = 16", "king.quiet_limit", "must be 0 to 15, not 16"),
    ("penalty.take = 4", "penalty.take", "must be 0 to 3, not 4"),
    ("board.columns = 2", "board.columns", "must be 4 to 12, not 2"),
    ("start.first = ['white']", "start.first", "must be a text, not a list"),
    ("start.first = 'red'", "start.first", '"red" is not one of "white", "black"'),
    ("capture.removal = 'at_once'", "capture.removal", 'is not one of "at-once", "end-of-move"; did you mean "at-once"?'),
    ("capture.choice = 'pieces'", "capture.choice", 'must be a list of texts, not "pieces"'),
    ("capture.choice = ['pieces', 2]", "capture.choice", "must be a list of texts, but item 2 is 2"),
    ("capture.choice = ['pieces', 'pieces']", "capture.choice", '"pieces" is listed twice'),
    ("men.moves = ['forward-diagonal', 'up']", "men.moves", '"up" is not one of "forward", "backward", "sideways"'),
    ("men.moves = {a = 1}", "men.moves", "must be a list of texts, not a table"),
    ('names.title = "a\\nb"', "names.title", "must not hold line breaks"),
    ("names.name = 'other'", "names.name", '"other" is not the name of the file, "mine"'),
    ("names.aliases = ['A b']", "names.aliases", '"A b" cannot be a name'),
    ("names.aliases = ['mine']", "names.aliases", '"mine" is the name itself'),
    ("names.aliases = ['russian']", "names.aliases", '"russian" is a built-in variant already'),
    ("names.aliases = ['normal']", "names.aliases", '"normal" is a built-in variant already'),
    ("names.gametype = 'x'", "names.gametype", '"x" is not a PDN GameType'),
    ("perft = 3", "perft", "must be rows: write [[perft]]"),
    ("[perft]\nfen = 'startpos'", "perft", "must be rows: write [[perft]]"),
    ("[[perft]]\nfen = 'startpos'", "perft[1].counts", "must be a list of whole numbers"),
    ("[[perft]]\nfen = 'startpos'\ncounts = []", "perft[1].counts", "must be a list of whole numbers"),
    ("[[perft]]\nfen = 'startpos'\ncounts = [true]", "perft[1].counts", "must be a list of whole numbers"),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7, -1]", "perft[1].counts", "must be a list of whole numbers"),
    ("[[perft]]\ncounts = [7]", "perft[1].fen", 'must be a FEN or "startpos"'),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7]\ncount = 1", "perft[1].count", 'unknown key; did you mean "counts"?'),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7]\nmissed_capture = 'no'", "perft[1].missed_capture", 'must be "rule" or'),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7]\nrules = 1", "perft[1].rules", "must be a table"),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7]\nrules = {names = {hub = 'x'}}", "perft[1].rules.names", "cannot rename"),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7]\nrules = {king = {fly = 1}}", "perft[1].rules.king.fly", "unknown key"),
    ("[[perft]]\nfen = 'startpos'\ncounts = [7]\nrules = {king = {flying = 1}}", "perft[1].rules.king.flying", "must be"),
    (
        "[[perft]]\nfen = 'startpos'\ncounts = [7]\nrules = {capture = {compulsory = false}}",
        "perft[1].rules.capture.compulsory",
        "none can be missed",
    ),
    ("[[example]]\nfen = 'startpos'\nplies = '1-2'", "example[1].plies", "must be the list of all legal plies"),
    ("[[example]]\nfen = 'startpos'\nplies = [1]", "example[1].plies", "must be the list of all legal plies"),
]

#: The same for rules that are wrong together only.
CONTRADICTIONS = [
    ("dam-haji", "capture.compulsory = false", "capture.compulsory", "punishes missed captures"),
    ("dam-haji", "capture.landing_goes_on = true", "capture.landing_goes_on", "forbids landing squares"),
    ("russian", "penalty.take = 1", "penalty.take", "set landing_goes_on = false"),
    ("russian", "capture.going_on = 'right'", "capture.going_on", "set landing_goes_on = false"),
    ("dam", "capture.going_on = 'right'\ncapture.landing_goes_on = true", "capture.landing_goes_on", "nothing needs to"),
    ("italian", "capture.going_on = 'right'", "capture.going_on", 'capture.choice = "pieces" weighs whole captures'),
    ("dam", "king.flying = false\nking.capture = 'far'", "king.capture", "captures adjacent pieces only"),
    ("dam", "king.flying = false\nking.landing = 'any'", "king.landing", 'right behind the captured piece, never "any"'),
    ("english", "king.landing = 'behind-king'", "king.landing", 'right behind the captured piece, never "behind-king"'),
    ("dam", "penalty.liable = 'any-piece'", "penalty.liable", "no piece is liable while penalty.take = 0"),
    ("english", "penalty.liable = 'any-piece'", "penalty.liable", "no piece is liable while penalty.take = 0"),
    ("dam", "end.repetition = 1", "end.repetition", "would draw every game at once"),
    ("dam", "men.moves = []", "men.moves", "at least one direction"),
    ("dam", "king.moves = []", "king.moves", "at least one direction"),
    ("dam", "men.captures = []\nking.captures = []", "men.captures", "neither men nor kings could capture"),
    ("dam", "promotion.zone = 'tail'", "promotion.zone", 'a diagonal board has no zone "tail" (it has far-row)'),
    ("dam", "start.white = '1-32'", "start.white", "men stand where they are promoted: 1,2,3,4"),
    ("dam", "start.white = '5,21-32'", "start.white", "both sides have men on 5"),
    ("dam", "start.white = ''", "start.white", "no men to start with"),
    ("dam", "start.white = '21-33'", "start.white", 'the board has no point "33" (they run from 1 to 32)'),
    ("dam", "start.white = '21-32,25'", "start.white", "25 is named twice"),
    ("dam", "start.white = '32-21'", "start.white", 'the range "32-21" runs backwards'),
    ("dam", "start.white = '21-'", "start.white", 'the board has no point ""'),
    ("dam", "start.black = '28'", "start.black", "both sides have men on 28"),
    ("dam-daman", "promotion.zone = 'tail'\nstart.black = 'a5-e5,b2'", "start.black", "where they are promoted: b2"),
    ("dam-daman", "start.white = 'a1,c1,e1'", "start.white", "all 3 men would be kings from the start"),
    ("dam", "promotion.few_pieces = 12\nstart.black = '1-13'", "promotion.few_pieces", "all 12 men would be kings"),
    ("dam-daman", "end.first_king = true", "end.first_king", "with promotion.few_pieces = 3 that would be the side"),
    ("dam", DRAW + DRAW, "end.draws", 'two draw rules are called "short"'),
    ("dam", "".join(f"[[end.draws]]\nname = 'r{n}'\nlimit = 3\n" for n in range(17)), "end.draws", "17 draw rules are too"),
    ("dam", f"{DRAW}one.pieces = 0", "end.draws", 'side "one" would have no piece'),
    ("dam", f"{DRAW}one = {{pieces = 1, kings = 2}}", "end.draws", 'side "one" cannot have pieces = 1'),
    ("dam", f"{DRAW}pieces = 2\none.pieces = 2", "end.draws", "the sides together cannot have 2 pieces"),
    ("dam", f"{DRAW}main_road = 'one'\none.kings = 0", "end.draws", 'side "one" has no king to stand on the main road'),
    ("dam-daman", f"{DRAW}main_road = 'one'", "end.draws", "this board has no diagonal from corner to corner"),
    ("dam", f"end.move_limit = 0\n{DRAW}replaces_move_limit = true", "end.draws", "with end.move_limit = 0 there is none"),
    ("russian", "end.move_limit = 0", "end.move_limit", "with end.move_limit = 0 there is none"),
    ("dam", f"end.first_king = true\n{DRAW}one.kings = 1", "end.draws", "the game is over before a king could count"),
    ("dam-daman", "notation.squares = 'numeric'", "notation.squares", "have no numbers"),
    ("dam", "board.columns = 7\nstart.white = '29'\nstart.black = '5'", "board.columns", "an even number of columns"),
    ("dam-daman", "board.rows = 8\nstart.white = 'a1'\nstart.black = 'a5'", "board.rows", "the tailed board has 5 columns"),
    ("dam", "names.gametype = '20,W,10,10,N2,0'", "names.gametype", "it says W,10,10,0 for first mover"),
    ("english", "names.gametype = '21,W,8,8,N1,0'", "names.gametype", "these rules have B,8,8,0"),
    ("english", "names.gametype = '21,B,8,8,N2,0'", "names.gametype", "square 1 lies in the corner N1 as Black sees it"),
    ("spanish", "names.gametype = '24,W,8,8,N2,1'", "names.gametype", "square 1 lies in the corner N1 as White sees it"),
    ("dam", "names.gametype = '20,W,8,8,N1,0'", "names.gametype", "in the corner N2 as White sees it"),
    ("dam", "capture.choice = ['value', 'pieces']", "capture.choice", '"pieces" never decides behind "value"'),
    ("dam", "capture.choice = ['value', 'by-king', 'kings']", "capture.choice", '"kings" never decides behind "value"'),
    (
        "dam",
        "capture.choice = ['kings', 'pieces', 'value']",
        "capture.choice",
        'decides behind "kings" and "pieces", by which',
    ),
    ("dam", "capture.choice = ['earliest-king', 'kings']", "capture.choice", 'never decides behind "earliest-king"'),
    (
        "dam",
        "capture.choice = ['pieces', 'earliest-king', 'value']",
        "capture.choice",
        '"value" never decides behind "pieces"',
    ),
    ("dam", "men.moves = ['sideways']\nmen.captures = ['backward']", "men.moves", "men that never go forward"),
    ("dam", "men.moves = ['backward-diagonal']\nmen.captures = []", "men.moves", "are never promoted"),
    ("italian", "king.captures = []", "king.captures", "no piece could ever capture a king"),
    ("losing", "penalty.take = 1\ncapture.landing_goes_on = false", "penalty.take", "that helps who missed the capture"),
    ("dam-haji", "end.no_moves = 'win'", "end.no_moves", "set penalty.take = 0"),
    ("dam", "start.white = '13-20'\nmen.captures = ['forward-diagonal']", "start.white", "White begins and has no move"),
    ("dam", "start.first = 'black'\nstart.black = '17-20'\nstart.white = '21-32'", "start.white", "Black begins and has no"),
    (
        "dam",
        "start.white = '32'\nstart.black = '1'\nend.one_each = 'at-once'",
        "start.white",
        'a draw from the start, with end.one_each = "at-once"',
    ),
]


#: Keys that have no effect beside the others of the same file: the key is at fault.
IDLE = [
    (
        "turkish",
        "capture.removal = 'end-of-move'\nking.about_turn = false",
        "king.about_turn",
        "stops every turn back anyway",
    ),
    ("international", "king.about_turn = false", "king.about_turn", 'with capture.removal = "end-of-move"'),
    ("dam", "king.about_turn = false\nking.flying = false", "king.about_turn", "the square empty where it captured"),
    ("dam", "king.about_turn = false\nking.capture = 'adjacent'", "king.about_turn", "finds nothing next to it"),
    ("english", "capture.landing_goes_on = false", "capture.landing_goes_on", "one square to land on behind each"),
    (
        "dam",
        "king.landing = 'behind'\ncapture.landing_goes_on = false",
        "capture.landing_goes_on",
        'king.landing = "behind"',
    ),
    ("dam", "king.captures = []\nking.landing = 'behind'", "king.landing", "kings capture nothing: leave it out"),
    ("dam", "king.captures = []\nking.capture = 'far'", "king.capture", "kings capture nothing"),
    ("dam", "king.captures = []\npromotion.in_capture = 'as-king'", "promotion.in_capture", "cannot go on"),
    ("dam", "men.captures = []\nmen.take_kings = false", "men.take_kings", "men capture nothing"),
    ("dam", "men.captures = []\npromotion.in_capture = 'stop'", "promotion.in_capture", "no man is promoted in a capture"),
    (
        "dam",
        "men.captures = []\ncapture.choice = ['by-king']",
        "capture.choice",
        '"by-king" decides nothing with men.captures',
    ),
    ("dam", "king.captures = []\ncapture.choice = ['by-king']", "capture.choice", "decides nothing with king.captures = []"),
    ("breakthrough", "king.quiet_limit = 3", "king.quiet_limit", "the game is over before a king could move"),
    ("breakthrough", "king.landing = 'behind'", "king.landing", "over before a king could capture"),
    ("breakthrough", "men.take_kings = false", "men.take_kings", "over before a king could be captured"),
    ("breakthrough", "capture.choice = ['pieces', 'kings']", "capture.choice", "since no king is captured"),
]


class TestFaults:
    @pytest.mark.parametrize(("text", "key", "message"), SINGLE_FAULTS)
    def test_faults_of_one_key(self, tmp_path: Path, text: str, key: str, message: str) -> None:
        found_key, found_message = fault(write(tmp_path, f'base = "dam-haji"\n{text}\n'))
        assert found_key == key
        assert message in found_message

    @pytest.mark.parametrize(("base", "text", "key", "message"), CONTRADICTIONS)
    def test_contradictions(self, tmp_path: Path, base: str, text: str, key: str, message: str) -> None:
        found_key, found_message = fault(write(tmp_path, f'base = "{base}"\n{text}\n'))
        assert found_key == key
        assert message in found_message

    @pytest.mark.parametrize(("base", "text", "key", "message"), IDLE)
    def test_keys_without_effect(self, tmp_path: Path, base: str, text: str, key: str, message: str) -> None:
        found_key, found_message = fault(write(tmp_path, f'base = "{base}"\n{text}\n'))
        assert found_key == key
        assert message in found_message

    @pytest.mark.parametrize(
        "text",
        [
            'base = "turkish"\ncapture.removal = "end-of-move"',
            'base = "turkish"\nking.flying = false',
            'base = "dam-haji"\nking.landing = "behind"',
            'base = "frisian"\nend.first_king = true',
            'base = "russian"\nend.first_king = true\nking.landing = "behind"',
            'base = "dam"\nking.captures = []',
            'base = "dam"\nmen.captures = []',
            'base = "dam-daman"\nmen.moves = ["sideways"]\nmen.captures = ["backward"]\nstart.white = "a1-d4"',
        ],
    )
    def test_what_is_inherited_may_have_no_effect(self, tmp_path: Path, text: str) -> None:
        assert faults(write(tmp_path, text)) == []

    def test_another_board_needs_another_start(self, tmp_path: Path) -> None:
        text = 'base = "dam"\nboard.columns = 10\nboard.rows = 10\n'
        message = "the board is not the base's: say where the men start on this one"
        assert faults(write(tmp_path, text)) == [f"start.white: {message}", f"start.black: {message}"]
        assert faults(write(tmp_path, text + 'start.white = "31-50"\nstart.black = "1-20"\n')) == []
        assert faults(write(tmp_path, 'base = "dam"\nboard.columns = 8\nboard.mirrored = true\n')) == []

    def test_directions_that_a_board_has_not(self, tmp_path: Path) -> None:
        text = """
            [board]
            kind = "square"
            [start]
            white = "a2-h2,a3-h3"
            black = "a7-h7,a6-h6"
            [men]
            moves = ["forward"]
            captures = ["forward"]
            [notation]
            squares = "algebraic"
        """
        message = 'a square board has no direction "forward-diagonal" (it has forward, backward, sideways)'
        assert faults(write(tmp_path, text)) == [f"king.moves: {message}", f"king.captures: {message}"]

    def test_inherited_rules_of_flight_do_no_harm(self, tmp_path: Path) -> None:
        write(tmp_path, 'base = "international"\nking.landing = "behind-king"', "killer")
        assert faults(write(tmp_path, 'base = "killer"\nking.flying = false')) == []

    def test_a_huff_for_kings_that_step(self, tmp_path: Path) -> None:
        assert faults(write(tmp_path, 'base = "english"\npenalty.take = 2\npenalty.liable = "any-piece"')) == []

    def test_by_king_goes_with_a_right_to_stop(self, tmp_path: Path) -> None:
        assert faults(write(tmp_path, 'base = "dam"\ncapture.choice = ["by-king"]\ncapture.going_on = "right"')) == []

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"[king", "not TOML: "),
            (b"a = 1\na = 2", "not TOML: "),
            (b"a = " + b"9" * 5000, "not TOML: "),
            (b'base = "\xff"', "not UTF-8"),
            (b"a = " + b"[" * 5000, "nested too deeply"),
        ],
    )
    def test_files_that_are_not_toml(self, tmp_path: Path, content: bytes, message: str) -> None:
        file = tmp_path / "mine.toml"
        file.write_bytes(content)
        key, found = fault(str(file))
        assert key == ""
        assert found.startswith(message)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        file = str(tmp_path / "mine.toml")
        assert fault(file) == ("", "cannot read this file: No such file or directory")
        with pytest.raises(VariantError) as raised:
            variants.load_file(file)
        assert str(raised.value) == f"{file}: cannot read this file: No such file or directory"

    def test_all_faults_are_found_at_once(self, tmp_path: Path) -> None:
        text = """
            base = "dam-haji"
            [captures]
            removal = "at-once"
            [king]
            flying = "no"
            landing = "behind"
            [capture]
            compulsory = false
            [start]
            white = "21-40"
            [[perft]]
            fen = ""
            counts = "7"
        """
        assert [found.split(": ")[0] for found in faults(write(tmp_path, text))] == [
            "captures",
            "king.flying",
            "capture.compulsory",
            "start.white",
            "perft[1].fen",
            "perft[1].counts",
        ]

    def test_what_follows_from_a_fault_is_not_told(self, tmp_path: Path) -> None:
        file = write(tmp_path, 'base = "dam"\nboard.kind = "tail"\npromotion.zone = "tail"')
        assert [found.split(": ")[0] for found in faults(file)] == ["board.kind"]
