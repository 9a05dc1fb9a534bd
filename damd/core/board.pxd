# Declarations of board.py for the compiled build and for search.py.
cimport cython

from damd.core.bits cimport bb

ctypedef unsigned long long u64
ctypedef unsigned int u32

@cython.final
cdef class Board:
    # geometry: directions as (source mask, rotation), per-side direction lists of 12 entries a side
    cdef int points
    cdef bb full
    cdef bint in_order
    cdef int directions
    cdef int shift[12]
    cdef bb source[12]
    cdef int reverse[12]
    cdef bb hit[13]
    cdef bb vacant
    cdef int capture_back[24]
    cdef bb capture_source[24]
    cdef int way_back[24]
    cdef int rank[128]
    cdef int bit_of[128]
    cdef int point_of[128]
    cdef int men_moves[24]
    cdef int men_moves_n[2]
    cdef bint ahead[24]
    cdef int men_captures[24]
    cdef int men_captures_n[2]
    cdef int king_moves[24]
    cdef int king_moves_n[2]
    cdef int king_captures[24]
    cdef int king_captures_n[2]
    cdef bb promotion[2]
    # rules
    cdef bint men_take_kings, flying, far, slide_landing, halt_behind_king, about_turn
    cdef bint compulsory, duty, landing_goes_on, at_once
    cdef int in_capture, few, take, quiet_limit, repetition, move_limit
    cdef bint any_piece, first_king, one_each, one_each_waits, early_end, no_moves_wins, track_order
    cdef int criteria[5]
    cdef int criteria_n
    # zobrist keys: piece kinds man/king of White, man/king of Black, then rights and runs, 128 bits each
    cdef u64 *zobrist
    # the stack of levels
    cdef public int level
    cdef int listed, listed_level
    cdef u64 listed_key
    cdef bb *men
    cdef bb *kings
    cdef bb *pending
    cdef bb *able
    cdef u64 *keys
    cdef int *side
    cdef int *right
    cdef int *half
    cdef int *turn
    cdef int *run
    # the ply buffer
    cdef u32 *ply_code
    cdef bb *ply_cap
    cdef u64 *ply_score
    cdef public int top
    cdef int room
    # generation
    cdef public int max_plies, max_states
    cdef public bint overflow
    cdef bint captures_only, keyed
    cdef volatile bint stop_flag
    cdef int g_base, g_from, g_side
    cdef bint g_king
    cdef bb g_pieces, g_occupied, g_men_victims, g_king_victims, g_opponent_kings
    cdef u64 g_best
    # states of one capture
    cdef bb *state_cap
    cdef u64 *state_meta
    cdef u64 *state_order
    cdef int state_room, state_used
    cdef u64 epoch
    cdef object state_table
    # what a route search looks for
    cdef bb r_target
    cdef int r_end
    cdef bint r_king
    cdef u64 r_order
    cdef bint r_any_order, r_miss
    cdef int r_path[80]
    # draws by counting, behind all that is used at every node: rows of D_WIDTH numbers
    cdef int draws_n, draw_most, draw_weak
    cdef bb road
    cdef int draws[304]

    cpdef void borrow(self)
    cdef bb step(self, bb x, int d) noexcept nogil
    cdef bint over(self) noexcept nogil
    cdef bb capable(self) noexcept nogil
    cdef bint hanging(self) noexcept nogil
    cdef int generate(self) noexcept nogil
    cdef int generate_for(self, bb able) noexcept nogil
    cdef void make(self, u32 code, bb cap) noexcept nogil
    cdef u64 key_after(self, int at, u32 code, bb cap) noexcept nogil
    cdef bint man_goes_on(self, int at, bb cap) noexcept nogil
    cdef bint mobile(self) noexcept nogil
    cdef int tally(self) noexcept nogil
    cdef int occurrences(self) noexcept nogil
    cdef bint in_ending(self) noexcept nogil
    cdef bint is_force(self, int row, int at) noexcept nogil
    cdef bint draw_holds(self, int r, int at) noexcept nogil
    cdef bint renews(self, int r, int at) noexcept nogil
    cdef int lasted(self, int r, int most) noexcept nogil
    cdef bint may_have_lasted(self, int r, int plies) noexcept nogil
    cdef int clock_out(self, bb able) noexcept nogil
    cdef u64 clock_key(self, int depth) noexcept nogil
    cdef u64 nodes_below(self, int depth) noexcept nogil
    cdef u64 tally_children(self, int base, int n) noexcept nogil
    cdef bint reserve(self, int extra) noexcept nogil
    cdef int quiet_tally(self, bb men, bb kings, bb empty) noexcept nogil
    cdef void quiet_plies(self, bb men, bb kings, bb empty, u32 flags) noexcept nogil
    cdef void capture_plies(self, bb able) noexcept nogil
    cdef bb single_captures(self, bb men) noexcept nogil
    cdef int capture_tally(self, bb able) noexcept nogil
    cdef u64 first_order(self, bb v) noexcept nogil
    cdef int claim_tally(self) noexcept nogil
    cdef void claim_plies(self) noexcept nogil
    cdef bint jump(self, int at, bint king, bb cap, int n, int last, u64 order) noexcept nogil
    cdef bint visit(self, int at, bint king, bb cap, int n, int last, u64 order) noexcept nogil
    cdef void emit(self, int at, bint king, bb cap, int n, int last, u64 order, bint miss) noexcept nogil
    cdef u64 score(self, bb cap, u64 order) noexcept nogil
    cdef int slot(self, int at, bint king, bb cap, int last, u64 order) noexcept nogil
    cdef bint widen(self) noexcept nogil
    cdef void keep_best(self) noexcept nogil
    cdef bint push(self, u32 code, bb cap, u64 score) noexcept nogil
    cdef u64 key_from_scratch(self) noexcept nogil
    cdef bint find_route(self, int at, bint king, bb cap, int n, int last, u64 order) noexcept nogil
    cdef bint may_end(self, int at, bint king, bb cap, bb v, bb reach, int d) noexcept nogil
    cdef bint goes_on(self, int at, bint king, bb cap, int last) noexcept nogil
    cdef bint crown_few(self, int at) noexcept nogil
    cdef int legal_quiet_kings_bar(self) noexcept nogil
    cdef void begin_route(self, u32 code, bb target, u64 score) noexcept nogil
    cdef void set_victims(self) noexcept nogil
    cdef u64 right_key(self, int at) noexcept nogil
    cdef void count_runs(self, u32 code) noexcept nogil
    cdef u64 run_key(self, int s, int run) noexcept nogil
