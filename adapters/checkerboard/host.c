/* Stands in for CheckerBoard in tests: loads the DLL and calls it as the lines on standard input say.
 *
 *   command TEXT                              answered "reply HANDLED TEXT"
 *   legal COLOUR FROM TO BOARD                answered "legal 0|1 MOVE"
 *   move COLOUR SECONDS INFO MOREINFO BOARD   begins a getmove in a thread of its own, answered "thinking"
 *   playnow                                   sets the flag that getmove looks at, answered "playnow"
 *   status                                    what the status bar shows, answered "status TEXT"
 *   wait                                      waits for that getmove, answered "moved RESULT BOARD MOVE"
 *   hammer THREADS CALLS                      asks the game's number from several threads, answered "right N"
 *
 * BOARD is 64 hexadecimal digits, column by column; MOVE the numbers of the CBmove; newlines are shown as \n.
 */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLY_SIZE 1024

struct coor { int x, y; };
struct CBmove {
    int jumps, newpiece, oldpiece;
    struct coor from, to, path[12], del[12];
    int delpiece[12];
};
typedef int (WINAPI *getmove_function)(int[8][8], int, double, char *, int *, int, int, struct CBmove *);
typedef int (WINAPI *command_function)(const char *, char *);
typedef int (WINAPI *legal_function)(int[8][8], int, int, int, struct CBmove *);

static getmove_function getmove;
static command_function enginecommand;
static legal_function islegal;

static struct {
    int board[8][8], color, info, moreinfo, result;
    double maxtime;
    struct CBmove move;
} search;
static char status[REPLY_SIZE];
static int playnow;
static int calls;
static char number[REPLY_SIZE];
static volatile LONG right;

static FARPROC find(HMODULE dll, const char *name)
{
    FARPROC found = GetProcAddress(dll, name);

    if (!found) {
        printf("no export %s\n", name);
        exit(1);
    }
    return found;
}

static void show(const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", stdout);
        else
            putchar(*text);
    putchar('\n');
}

static int read_board(const char *text, int board[8][8])
{
    int square;

    if (strspn(text, "0123456789abcdef") != 64)
        return 0;
    for (square = 0; square < 64; square++) {
        char digit[2] = { text[square], 0 };
        board[square / 8][square % 8] = (int) strtol(digit, NULL, 16);
    }
    return 1;
}

static void show_move(const struct CBmove *move)
{
    int jump;

    printf(" %d,%d,%d,%d,%d,%d,%d", move->jumps, move->newpiece, move->oldpiece, move->from.x, move->from.y, move->to.x, move->to.y);
    for (jump = 0; jump < move->jumps; jump++)
        printf(",%d,%d,%d,%d,%d", move->path[jump + 1].x, move->path[jump + 1].y, move->del[jump].x, move->del[jump].y,
               move->delpiece[jump]);
    putchar('\n');
}

static DWORD WINAPI think(LPVOID unused)
{
    (void) unused;
    search.result = getmove(search.board, search.color, search.maxtime, status, &playnow, search.info, search.moreinfo, &search.move);
    return 0;
}

static DWORD WINAPI hammer(LPVOID unused)
{
    char reply[REPLY_SIZE];
    int call;

    (void) unused;
    for (call = 0; call < calls; call++)
        if (enginecommand("get gametype", reply) == 1 && strcmp(reply, number) == 0)
            InterlockedIncrement(&right);
    return 0;
}

static void hammer_with(int threads)
{
    HANDLE running[16];
    int thread;

    threads = threads < 1 ? 1 : threads > 16 ? 16 : threads;
    right = 0;
    enginecommand("get gametype", number);
    for (thread = 0; thread < threads; thread++)
        running[thread] = CreateThread(NULL, 0, hammer, NULL, 0, NULL);
    for (thread = 0; thread < threads; thread++) {
        WaitForSingleObject(running[thread], INFINITE);
        CloseHandle(running[thread]);
    }
    printf("right %ld\n", (long) right);
}

int main(int count, char **arguments)
{
    static char line[16384], board[80], reply[REPLY_SIZE];
    HMODULE dll = count == 2 ? LoadLibraryA(arguments[1]) : NULL;
    HANDLE thinking = NULL;

    if (!dll) {
        printf("usage: host DLL (error %lu)\n", GetLastError());
        return 1;
    }
    getmove = (getmove_function) (void (*)(void)) find(dll, "getmove");
    enginecommand = (command_function) (void (*)(void)) find(dll, "enginecommand");
    islegal = (legal_function) (void (*)(void)) find(dll, "islegal");
    setvbuf(stdout, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        int from, to, color, threads;
        struct CBmove move;
        int squares[8][8];

        line[strcspn(line, "\r\n")] = 0;
        if (strncmp(line, "command ", 8) == 0) {
            int handled = enginecommand(line + 8, reply);
            printf("reply %d ", handled);
            show(reply);
        } else if (sscanf(line, "legal %d %d %d %79s", &color, &from, &to, board) == 4 && read_board(board, squares)) {
            int legal = islegal(squares, color, from, to, &move);
            printf("legal %d", legal);
            if (legal)
                show_move(&move);
            else
                putchar('\n');
        } else if (sscanf(line, "move %d %lf %d %d %79s", &search.color, &search.maxtime, &search.info, &search.moreinfo, board) == 5
                   && read_board(board, search.board)) {
            playnow = 0;
            strcpy(status, "");
            thinking = CreateThread(NULL, 0, think, NULL, 0, NULL);
            printf("thinking\n");
        } else if (strcmp(line, "playnow") == 0) {
            playnow = 1;
            printf("playnow\n");
        } else if (strcmp(line, "status") == 0) {
            printf("status ");
            show(status);
        } else if (strcmp(line, "wait") == 0 && thinking) {
            int square;
            WaitForSingleObject(thinking, INFINITE);
            CloseHandle(thinking);
            thinking = NULL;
            printf("moved %d ", search.result);
            for (square = 0; square < 64; square++)
                printf("%x", (unsigned) search.board[square / 8][square % 8]);
            show_move(&search.move);
        } else if (sscanf(line, "hammer %d %d", &threads, &calls) == 2) {
            hammer_with(threads);
        } else {
            printf("unknown line %.60s\n", line);
        }
    }
    FreeLibrary(dll);
    return 0;
}
