/* damd for CheckerBoard: a DLL that forwards what CheckerBoard asks to the server damd-checkerboard.
 *
 * PROTOCOL.md describes the lines. There are two connections: one for enginecommand and islegal, one for getmove, for
 * CheckerBoard calls from several threads and goes on asking while a move is thought about. Each is guarded by a
 * critical section, and nothing here waits without a limit. "make" builds it.
 */
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 8192          /* the longest line that the server takes, and more than it sends */
#define REPLY_SIZE 1024         /* CheckerBoard's buffer for replies and for the status bar */
#define SHORT_SIZE 250          /* what fits the smaller ones that it passes now and then */
#define CONNECT_MS 2000         /* loopback answers at once, or refuses within two seconds */
#define GREET_MS 5000           /* a server says at once that it is ready */
#define START_MS 15000          /* from the start of the server until it listens */
#define RETRY_MS 3000           /* after a failure the next call fails at once for so long */
#define SLICE_MS 50             /* how often playnow is looked at */
#define SQUARES 64
#define PATH_SIZE 12

enum { DRAW, WIN, LOSS, UNKNOWN };

struct coor { int x, y; };
struct CBmove {
    int jumps, newpiece, oldpiece;
    struct coor from, to;
    struct coor path[PATH_SIZE];        /* from 1 on */
    struct coor del[PATH_SIZE];
    int delpiece[PATH_SIZE];
};

struct channel {
    const char *name;
    SOCKET socket;
    char received[LINE_SIZE];
    int length;                         /* bytes received that are not read yet */
    DWORD failed_at;                    /* when connecting failed last, with failed */
    int failed;
    CRITICAL_SECTION lock;
};

static struct channel commands = { .name = "commands", .socket = INVALID_SOCKET };
static struct channel moves = { .name = "moves", .socket = INVALID_SOCKET };

/* The settings, read once, guarded by `setup`. */
static CRITICAL_SECTION setup;
static HINSTANCE module;
static int is_set_up, has_sockets, has_started;
static DWORD started_at;
static char host[64], game[64], start_command[512], session[40], folder[MAX_PATH];
static int port, idle_s;
static DWORD patience_ms;

/* Settings */

static void read_setting(const char *file, const char *fallback, const char *key, const char *preset, char *value, DWORD size)
{
    char common[512];

    GetPrivateProfileStringA("damd", key, preset, common, sizeof common, fallback);
    GetPrivateProfileStringA("damd", key, common, value, size, file);
}

static void read_settings(void)
{
    char path[MAX_PATH], file[MAX_PATH + 8], fallback[MAX_PATH + 16], number[16];
    char *name, *end, *part;

    path[0] = 0;
    GetModuleFileNameA(module, path, sizeof path - 1);
    path[sizeof path - 1] = 0;
    end = strrchr(path, '.');
    if (end)
        *end = 0;
    snprintf(file, sizeof file, "%s.ini", path);
    name = strrchr(path, '\\');
    name = name ? name + 1 : path;
    snprintf(folder, sizeof folder, "%.*s", (int) (name - path), path);
    snprintf(fallback, sizeof fallback, "%sdamd.ini", folder);
    part = strrchr(name, '-');
    read_setting(file, fallback, "game", part ? part + 1 : "english", game, sizeof game);
    read_setting(file, fallback, "host", "127.0.0.1", host, sizeof host);
    read_setting(file, fallback, "start", "", start_command, sizeof start_command);
    read_setting(file, fallback, "port", "2117", number, sizeof number);
    port = atoi(number);
    read_setting(file, fallback, "idle", "30", number, sizeof number);
    idle_s = atoi(number) > 0 ? atoi(number) : 30;
    read_setting(file, fallback, "patience", "20", number, sizeof number);
    patience_ms = (DWORD) (atoi(number) > 0 ? atoi(number) : 20) * 1000;
    snprintf(session, sizeof session, "%lx-%lx-%lx", (unsigned long) GetCurrentProcessId(),
             (unsigned long) GetTickCount(), (unsigned long) (ULONG_PTR) module);
}

/* 1 where the settings are read and sockets can be had. */
static int prepare(void)
{
    WSADATA data;

    EnterCriticalSection(&setup);
    if (!is_set_up) {
        read_settings();
        is_set_up = 1;
    }
    if (!has_sockets)
        has_sockets = WSAStartup(MAKEWORD(2, 2), &data) == 0;
    LeaveCriticalSection(&setup);
    return has_sockets;
}

/* Start the server as the settings say; 1 where one was started now or not long ago. */
static int start_server(void)
{
    STARTUPINFOA startup;
    PROCESS_INFORMATION process;
    char line[1024];
    int starting;

    EnterCriticalSection(&setup);
    starting = has_started && GetTickCount() - started_at < START_MS;
    if (!starting && start_command[0]) {
        snprintf(line, sizeof line, "%s --host %s --port %d --idle %d", start_command, host, port, idle_s);
        memset(&startup, 0, sizeof startup);
        startup.cb = sizeof startup;
        if (CreateProcessA(NULL, line, NULL, NULL, FALSE, CREATE_NO_WINDOW, NULL, folder[0] ? folder : NULL, &startup, &process)) {
            CloseHandle(process.hThread);
            CloseHandle(process.hProcess);
            has_started = starting = 1;
            started_at = GetTickCount();
        }
    }
    LeaveCriticalSection(&setup);
    return starting;
}

/* Lines over sockets */

static void hang_up(struct channel *channel)
{
    if (channel->socket != INVALID_SOCKET)
        closesocket(channel->socket);
    channel->socket = INVALID_SOCKET;
    channel->length = 0;
}

/* Wait until the socket can be read or written; 1 if so, 0 after the time, -1 where it has failed. */
static int wait_for(SOCKET socket, int writing, DWORD milliseconds)
{
    fd_set wanted, failed;
    struct timeval limit;
    int ready;

    FD_ZERO(&wanted);
    FD_ZERO(&failed);
    FD_SET(socket, &wanted);
    FD_SET(socket, &failed);
    limit.tv_sec = (long) (milliseconds / 1000);
    limit.tv_usec = (long) (milliseconds % 1000) * 1000;
    ready = select(0, writing ? NULL : &wanted, writing ? &wanted : NULL, &failed, &limit);
    if (ready > 0 && !FD_ISSET(socket, &wanted))
        return -1;
    return ready;
}

/* 1 where all of the text and a line end have gone out. */
static int send_line(struct channel *channel, const char *text)
{
    char line[LINE_SIZE + 1];
    int length = snprintf(line, sizeof line, "%s\n", text), sent = 0;

    if (length < 0 || length >= (int) sizeof line)
        return 0;
    while (sent < length) {
        int count = send(channel->socket, line + sent, length - sent, 0);
        if (count > 0)
            sent += count;
        else if (WSAGetLastError() != WSAEWOULDBLOCK || wait_for(channel->socket, 1, CONNECT_MS) <= 0)
            return 0;
    }
    return 1;
}

/* The next line: 1 with it in `line`, 0 where none has come within the time, -1 where none will come. */
static int receive_line(struct channel *channel, char line[LINE_SIZE], DWORD milliseconds)
{
    DWORD began = GetTickCount(), gone;

    for (;;) {
        char *end = memchr(channel->received, '\n', (size_t) channel->length);
        int ready, count;

        if (end) {
            int length = (int) (end - channel->received);
            memcpy(line, channel->received, (size_t) length);
            line[length] = 0;
            channel->length -= length + 1;
            memmove(channel->received, end + 1, (size_t) channel->length);
            return 1;
        }
        gone = GetTickCount() - began;
        if (channel->length == LINE_SIZE)
            return -1;
        ready = wait_for(channel->socket, 0, gone < milliseconds ? milliseconds - gone : 0);
        if (ready <= 0)
            return ready;
        count = recv(channel->socket, channel->received + channel->length, LINE_SIZE - channel->length, 0);
        if (count > 0)
            channel->length += count;
        else if (count == 0 || WSAGetLastError() != WSAEWOULDBLOCK)
            return -1;
    }
}

/* Connecting */

static int reach(struct channel *channel)
{
    struct sockaddr_in address;
    u_long unblocked = 1;
    int at_once = 1;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((u_short) port);
    address.sin_addr.s_addr = inet_addr(host);
    channel->length = 0;
    channel->socket = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    if (channel->socket == INVALID_SOCKET)
        return 0;
    ioctlsocket(channel->socket, FIONBIO, &unblocked);
    setsockopt(channel->socket, IPPROTO_TCP, TCP_NODELAY, (const char *) &at_once, sizeof at_once);
    if (connect(channel->socket, (struct sockaddr *) &address, sizeof address) == 0)
        return 1;
    if (WSAGetLastError() == WSAEWOULDBLOCK && wait_for(channel->socket, 1, CONNECT_MS) > 0) {
        int fault = 0, size = sizeof fault;
        if (getsockopt(channel->socket, SOL_SOCKET, SO_ERROR, (char *) &fault, &size) == 0 && fault == 0)
            return 1;
    }
    hang_up(channel);
    return 0;
}

/* Say who we are; 1 where the server is ready, otherwise `why` says what it said instead. */
static int greet(struct channel *channel, char why[SHORT_SIZE])
{
    char line[LINE_SIZE];

    snprintf(line, sizeof line, "HELLO 1 %s %s %s", channel->name, game, session);
    if (send_line(channel, line) && receive_line(channel, line, GREET_MS) > 0) {
        if (strncmp(line, "READY ", 6) == 0)
            return 1;
        snprintf(why, SHORT_SIZE, "%.200s", strncmp(line, "ERROR ", 6) == 0 ? line + 6 : line);
    } else {
        snprintf(why, SHORT_SIZE, "what listens on %s port %d is not damd-checkerboard", host, port);
    }
    hang_up(channel);
    return 0;
}

/* 1 where the channel is connected, perhaps to a server started now; otherwise `why` says why not. */
static int connected(struct channel *channel, char why[SHORT_SIZE])
{
    DWORD began = GetTickCount();
    int reached;

    if (channel->socket != INVALID_SOCKET)
        return 1;
    snprintf(why, SHORT_SIZE, "no sockets on this machine");
    if (!prepare())
        return 0;
    snprintf(why, SHORT_SIZE, "no server on %.63s port %d: start damd-checkerboard", host, port);
    if (channel->failed && GetTickCount() - channel->failed_at < RETRY_MS)
        return 0;
    reached = reach(channel);
    if (!reached && start_server()) {
        while (!reached && GetTickCount() - began < START_MS) {
            Sleep(4 * SLICE_MS);
            reached = reach(channel);
        }
    }
    channel->failed = !reached;
    channel->failed_at = GetTickCount();
    return reached && greet(channel, why);
}

/* Send a line, over a new connection where the old one has ended; 1 where it has gone out. */
static int say(struct channel *channel, const char *line, char why[SHORT_SIZE])
{
    char unasked[LINE_SIZE];

    /* Nothing is to be read now: a line would be no answer to what is asked next, and an ended connection shows here. */
    if (channel->socket != INVALID_SOCKET) {
        if (receive_line(channel, unasked, 0) == 0 && send_line(channel, line))
            return 1;
        hang_up(channel);
    }
    if (!connected(channel, why))
        return 0;
    if (send_line(channel, line))
        return 1;
    hang_up(channel);
    snprintf(why, SHORT_SIZE, "damd-checkerboard has closed the connection");
    return 0;
}

/* Reading what the server says */

static void copy_text(char *to, size_t size, const char *escaped)
{
    size_t length = 0;

    for (; *escaped && length + 1 < size; escaped++) {
        if (*escaped == '\\' && escaped[1])
            to[length++] = *++escaped == 'n' ? '\n' : *escaped;
        else
            to[length++] = *escaped;
    }
    to[length] = 0;
}

/* Numbers that commas separate; how many there were. */
static int read_numbers(const char *text, int numbers[], int most)
{
    int count = 0;

    while (count < most && *text >= '0' && *text <= '9') {
        char *end;
        numbers[count++] = (int) strtol(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

static void read_move(const char *text, struct CBmove *move)
{
    int numbers[7 + 5 * PATH_SIZE], count = read_numbers(text, numbers, 7 + 5 * PATH_SIZE), jump;

    if (!move)
        return;
    memset(move, 0, sizeof *move);
    if (count < 7)
        return;
    move->newpiece = numbers[1];
    move->oldpiece = numbers[2];
    move->from.x = numbers[3];
    move->from.y = numbers[4];
    move->to.x = numbers[5];
    move->to.y = numbers[6];
    for (jump = 0; jump < numbers[0] && 7 + 5 * jump + 5 <= count; jump++) {
        const int *part = numbers + 7 + 5 * jump;
        if (jump + 1 < PATH_SIZE) {
            move->path[jump + 1].x = part[0];
            move->path[jump + 1].y = part[1];
        }
        move->del[jump].x = part[2];
        move->del[jump].y = part[3];
        move->delpiece[jump] = part[4];
    }
    move->jumps = jump;
    if (jump == 0)
        move->path[1] = move->to;
}

static void write_board(int board[8][8], char text[SQUARES + 1])
{
    int square;

    for (square = 0; square < SQUARES; square++)
        text[square] = "0123456789abcdef"[board[square / 8][square % 8] & 15];
    text[SQUARES] = 0;
}

/* "RESULT BOARD MOVE"; UNKNOWN, and everything as it was, where it is not that. */
static int read_done(const char *text, int board[8][8], struct CBmove *move)
{
    const char *places = "0123456789abcdef";
    int square, result = text[0] - '0';

    if (result < DRAW || result > UNKNOWN || strspn(text + 1, " ") != 1 || strspn(text + 2, places) != SQUARES)
        return UNKNOWN;
    for (square = 0; square < SQUARES; square++)
        board[square / 8][square % 8] = (int) (strchr(places, text[2 + square]) - places);
    if (text[2 + SQUARES] == ' ')
        read_move(text + 3 + SQUARES, move);
    return result;
}

/* What CheckerBoard calls */

/* Ask on the channel for commands. `line` is the question, and the answer, where 1 is returned. */
static int ask(char line[LINE_SIZE], char why[SHORT_SIZE])
{
    int tries, state = -1;

    for (tries = 0; tries < 2 && state < 0; tries++) {      /* a server that was started anew has closed the old connection */
        if (!say(&commands, line, why))
            return 0;
        state = receive_line(&commands, line, patience_ms);
        if (state > 0)
            return 1;
        hang_up(&commands);
    }
    snprintf(why, SHORT_SIZE, "damd-checkerboard does not answer");
    return 0;
}

int WINAPI enginecommand(const char *command, char reply[REPLY_SIZE])
{
    char line[LINE_SIZE], why[SHORT_SIZE], *sign;
    int handled = 0;

    if (strlen(command) > LINE_SIZE - 64) {
        strcpy(reply, "? this command is too long");
        return 0;
    }
    snprintf(line, sizeof line, "COMMAND %s", command);
    for (sign = line; *sign; sign++)
        if (*sign == '\n' || *sign == '\r')
            *sign = ' ';
    EnterCriticalSection(&commands.lock);
    if (!ask(line, why)) {
        /* What is shown to the user is handled, so that he reads why there is no engine. */
        handled = strcmp(command, "name") == 0 || strcmp(command, "about") == 0 || strncmp(command, "static", 6) == 0;
        snprintf(reply, SHORT_SIZE, "%s %.200s", handled ? "damd:" : "?", why);
    } else if (strncmp(line, "ANSWER ", 7) == 0 && line[7]) {
        handled = line[7] == '1';
        copy_text(reply, REPLY_SIZE, line + 9);
    } else {
        snprintf(reply, SHORT_SIZE, "? %.200s", line);
    }
    LeaveCriticalSection(&commands.lock);
    return handled;
}

int WINAPI islegal(int board[8][8], int color, int from, int to, struct CBmove *move)
{
    char line[LINE_SIZE], why[SHORT_SIZE], places[SQUARES + 1];
    int legal = 0;

    write_board(board, places);
    snprintf(line, sizeof line, "LEGAL %d %d %d %s", color, from, to, places);
    EnterCriticalSection(&commands.lock);
    if (ask(line, why) && strncmp(line, "LEGAL 1 ", 8) == 0) {
        read_move(line + 8, move);
        legal = 1;
    }
    LeaveCriticalSection(&commands.lock);
    return legal;
}

/* Follow a search that has been asked for to its end; what getmove returns. */
static int follow(int board[8][8], char str[REPLY_SIZE], int *playnow, struct CBmove *move)
{
    char line[LINE_SIZE];
    DWORD heard = GetTickCount();
    int hurried = 0;

    for (;;) {
        int state = receive_line(&moves, line, SLICE_MS);
        if (state > 0) {
            heard = GetTickCount();
            if (strncmp(line, "STATUS ", 7) == 0) {
                copy_text(str, REPLY_SIZE, line + 7);
            } else if (strncmp(line, "DONE ", 5) == 0) {
                return read_done(line + 5, board, move);
            } else {
                snprintf(str, SHORT_SIZE, "damd: %.200s", strncmp(line, "ERROR ", 6) == 0 ? line + 6 : line);
                return UNKNOWN;
            }
        }
        if (playnow && *playnow && !hurried)
            hurried = send_line(&moves, "PLAYNOW");
        if (state < 0 || GetTickCount() - heard > patience_ms) {
            hang_up(&moves);
            snprintf(str, SHORT_SIZE, "damd: damd-checkerboard has %s", state < 0 ? "ended" : "been silent for too long");
            return UNKNOWN;
        }
    }
}

int WINAPI getmove(int board[8][8], int color, double maxtime, char str[REPLY_SIZE], int *playnow, int info, int moreinfo,
                   struct CBmove *move)
{
    char line[LINE_SIZE], why[SHORT_SIZE], places[SQUARES + 1];
    unsigned long milliseconds = maxtime > 0 ? (unsigned long) (maxtime < 2147483.0 ? maxtime * 1000 : 2147483000.0) : 0;
    int result = UNKNOWN;

    while (!TryEnterCriticalSection(&moves.lock)) {
        if (playnow && *playnow)
            return UNKNOWN;
        Sleep(SLICE_MS);
    }
    if (move)
        memset(move, 0, sizeof *move);
    write_board(board, places);
    snprintf(line, sizeof line, "MOVE %d %lu.%03lu %u %u %s", color, milliseconds / 1000, milliseconds % 1000,
             (unsigned) info, (unsigned) moreinfo, places);
    if (say(&moves, line, why))
        result = follow(board, str, playnow, move);
    else
        snprintf(str, SHORT_SIZE, "damd: %.200s", why);
    LeaveCriticalSection(&moves.lock);
    return result;
}

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, LPVOID reserved)
{
    if (reason == DLL_PROCESS_ATTACH) {
        module = instance;
        DisableThreadLibraryCalls(instance);
        InitializeCriticalSection(&setup);
        InitializeCriticalSection(&commands.lock);
        InitializeCriticalSection(&moves.lock);
    } else if (reason == DLL_PROCESS_DETACH && !reserved) {
        hang_up(&commands);
        hang_up(&moves);
        DeleteCriticalSection(&commands.lock);
        DeleteCriticalSection(&moves.lock);
        DeleteCriticalSection(&setup);
    }
    return TRUE;
}
