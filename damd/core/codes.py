"""Constants of the core, declared once: the build turns each ``NAME = number`` of this file into a C constant.

A ply is a 32-bit code (origin, end, kind, flags) and the bitboard of the pieces it takes off.
"""

from __future__ import annotations

LEVELS = 4096  # depth of the stack: the game so far and the search; ``rebase`` makes room
KEPT_LEVELS = 2048  # what ``rebase`` keeps: no repetition is looked for further back

# A ply's code.
TO_SHIFT = 7
QUIET = 0
CAPTURE = 0x4000
CLAIM = 0x8000
KIND_MASK = 0xC000
BECOMES_KING = 0x10000
MISS = 0x20000
WAS_KING = 0x40000
REVERSIBLE = 0x80000

# How a man's capture runs on when it reaches the promotion zone.
STOP = 0
AS_MAN = 1
AS_KING = 2

# Criteria between captures, as in rules.CRITERIA.
BY_PIECES = 0
BY_VALUE = 1
BY_KING = 2
BY_KINGS = 3
BY_EARLIEST_KING = 4
MAN_VALUE = 64  # a king is worth two men minus one of these units: two kings beat three men (frisian)

NO_WAY = 12  # stands behind the capture directions: the index of one that there is not

# Bits of a state's meta word; the epoch stands above them.
S_USED = 1
S_WENT_ON = 2
S_EMITTED = 4
EPOCH_SHIFT = 24

# Zobrist rows of 128 keys each.
Z_PENDING = 4
Z_RUN = 5  # 2 sides
Z_MISC = 7
Z_CLOCK = 8
Z_ROWS = 9

# A draw rule's numbers, and what they mean.
D_LIMIT = 0  # plies
D_ROAD = 1
D_RENEWED = 2
D_WAITS = 3
D_REPLACES = 4
D_PIECES = 5  # least and most, as all that follow
D_ONE = 7  # pieces, men and kings of one side
D_OTHER = 13
D_WIDTH = 19
DRAWS_MOST = 16
ROAD_NOBODY = 0
ROAD_ONE = 1
ROAD_OTHER = 2
BY_NOTHING = 0
BY_BALANCE = 1
BY_PROGRESS = 2

QUIET_ROOM = 4096  # more quiet moves than any position has: places for them are made once a list
POLL_MASK = 1023  # the stop flag is looked at once in so many states of a generation

# A data word of the transposition table.
SIGNATURE_MASK = 0xFFFFF
SCORE_SHIFT = 20
DEPTH_SHIFT = 36
BOUND_SHIFT = 44
AGE_SHIFT = 46
BUCKET_ROWS = 4  # rows of one line of the processor's cache, of two words each
BUCKET_WORDS = 8
BOUND_EXACT = 3
BOUND_LOWER = 1
BOUND_UPPER = 2

# Search.
MAX_PLY = 128  # levels below the root
MATE = 30000  # a win now; a win in n turns is MATE - n
MATE_RANGE = 29000  # scores beyond it are wins and losses by distance
INFINITE_SCORE = 32000
INNER_PLIES = 4096  # bounds of one generation inside the search: the list is cut there
INNER_STATES = 16384

# Terms of the evaluation, in the order of damd.weights.model.TERMS.
T_MAN = 0
T_KING = 1
T_FEW = 2
T_CROWN = 3
T_STEP = 4
T_BLOCKED = 5
T_PASSED = 6
T_REACH = 7
T_TRAPPED = 8
T_TURN = 9
T_OPPOSITION = 10
T_CLAIM = 11
TERM_COUNT = 12
WEIGHT_UNIT = 16  # weights are in such parts of a centipawn
WEIGHT_SHIFT = 4  # the same as a shift
MAX_PATTERNS = 128

# The evaluation's network.
NETWORK_KINDS = 4  # own men and kings, the other's men and kings
NETWORK_FIRST = 64  # numbers of its first layer,
NETWORK_SECOND = 16  # and of its second
NETWORK_ONE = 256  # what is 1 between the layers
NETWORK_ONE_SHIFT = 8  # the same as a shift
NETWORK_SHIFT = 12  # weights between the layers are in 4096th parts

# Reductions: plies of a node are counted from 0, depths in plies.
INTERNAL_DEPTH = 4  # from this depth on a node without a ply in the table is searched a ply less deep
REDUCED_DEPTH = 3  # from this depth on late quiet plies and declined captures are searched less deep
REDUCED_FROM = 2  # quiet plies from this one on lose a ply,
REDUCED_DEEP = 8  # from this depth on two,
REDUCED_DEEPER = 14  # and from this one on three
REDUCED_MORE_FROM = 4  # those from this one on lose a ply more
REDUCED_MORE_DEPTH = 5  # from this depth on,
REDUCED_MORE_DEEP = 11  # from this one on two more,
REDUCED_MORE_DEEPER = 16  # and from this one on three

# Pruning, in null windows, of positions in which the side to move has nothing to capture: margins in centipawns.
PRUNED_SCORES = 3000  # nearer to wins and losses nothing is pruned
STATIC_DEPTH = 6  # up to this depth a position is left that is so much above beta and in which nothing hangs
STATIC_MARGIN = 10
STATIC_MARGIN_PLY = 30  # for each ply of depth
PROBABLE_DEPTH = 5  # from this depth on a shallow search tells whether a deep one would fail high
PROBABLE_HOPE = 5  # tried where the evaluation is so much above beta
PROBABLE_MARGIN = 25  # what the shallow search has to find above beta
PROBABLE_LESS = 4  # how much shallower it is, half as deep at most
LATE_DEPTH = 5  # up to this depth only so many quiet plies are searched:
LATE_FROM = 3
LATE_FROM_PLY = 2  # for each ply of depth

CLAIMS_FOLLOWED = 12  # claims followed at a node inside the tree, of up to 560 in a DAM; the root follows all

# Ranks that order the plies of a node.
RANK_BEST = 0x40000000
RANK_CAPTURE = 0x20000000
RANK_KILLER = 0x10000000
RANK_QUIET = 0x4000000
RANK_MISS = 0x100
RANK_LAST = 1
HISTORY_LIMIT = 0x1000000
