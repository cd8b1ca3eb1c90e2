/*
 * edit.c - reads a line from the terminal, with editing, history and completion.
 *
 * What is typed at the end of the line is written as it is; only other changes write control
 * sequences, so the record of a session without them is plain text.
 */
#include "applet.h"
#include "shell.h"

enum { LINE_ROOM = 1024, HISTORY_MAX = 100, DEFAULT_COLUMNS = 80 };
enum { CTRL = 037, ESCAPE = 033, ERASE = 0177 };

/* Keys that terminals send as a sequence after ESC [ or ESC O. */
enum key { KEY_NONE = 256, KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT, KEY_HOME, KEY_END, KEY_DELETE };

static struct {
    const char *prompt;
    char text[LINE_ROOM];
    size_t len, at;    /* at: of the cursor */
    size_t cell;       /* where the terminal's cursor is, from the prompt's begin on */
    size_t columns;    /* of the terminal */
    char character[4]; /* the bytes that were read of one, */
    size_t read, left; /* their number, and that of the others */
    bool full_row; /* a character was written in the last column, and the cursor is still there */
    struct strbuf out; /* not yet written */
} line;

static char *history[HISTORY_MAX]; /* a ring; NULL: empty */
static size_t history_end;         /* lines ever added */
static struct termios cooked;      /* as it was before the last line */

/* ---- the terminal ---- */

static void flush(void)
{
    if (line.out.len)
        put(line.out.s, line.out.len);
    line.out.len = 0;
}

static void out(const char *s)
{
    strbuf_adds(&line.out, s);
}

static void out_sequence(unsigned long n, char c)
{
    char text[24];

    if (n) {
        snprintf(text, sizeof(text), "\033[%lu%c", n, c);
        out(text);
    }
}

static void read_columns(void)
{
    struct winsize size = {0};

    line.columns = !ioctl(0, TIOCGWINSZ, &size) && size.columns ? size.columns : DEFAULT_COLUMNS;
}

/* A blank takes the cursor from behind a full row to the next one. */
static void settle(void)
{
    if (line.full_row)
        out(" \r");
    line.full_row = false;
}

static void move_to(size_t cell)
{
    size_t row = line.cell / line.columns, to = cell / line.columns;

    if (cell == line.cell)
        return;
    settle();
    out_sequence(row > to ? row - to : 0, 'A');
    out_sequence(to > row ? to - row : 0, 'B');
    out("\r");
    out_sequence(cell % line.columns, 'C');
    line.cell = cell;
}

/* Whether the byte goes on with a character of UTF-8. */
static bool goes_on(char c)
{
    return (c & 0xc0) == 0x80;
}

/* In characters, each of which has one cell. */
static size_t width(const char *s, size_t n)
{
    size_t count = 0;

    while (n--)
        count += !goes_on(*s++);
    return count;
}

static size_t cell_of(size_t at)
{
    return width(line.prompt, strlen(line.prompt)) + width(line.text, at);
}

/* Writes the line from `from` on, and places the cursor; the cursor is at `from`. */
static void show_from(size_t from, bool shorter)
{
    strbuf_addn(&line.out, line.text + from, line.len - from);
    line.cell += width(line.text + from, line.len - from);
    if (from < line.len)
        line.full_row = line.cell % line.columns == 0;
    if (shorter) {
        settle();
        out("\033[J");
    }
    move_to(cell_of(line.at));
}

static void show_whole(void)
{
    out(line.prompt);
    line.cell = cell_of(0);
    line.full_row = false;
    show_from(0, false);
}

static void set_terminal(bool raw)
{
    struct termios t = cooked;

    t.c_lflag &= raw ? ~(uint32_t)(ICANON | ECHO) : ~0u;
    t.c_cc[VMIN] = raw ? 1 : t.c_cc[VMIN];
    ioctl(0, TCSETSW, &t);
}

void restore_terminal(void)
{
    if (cooked.c_oflag)
        set_terminal(false);
}

/* ---- keys ---- */

/* Returns a byte, -1 at end of file, or -EINTR. */
static int next_byte(void)
{
    unsigned char c;
    ssize_t n;

    flush();
    n = read(0, &c, 1); /* no more: the rest may be for the command */
    return n == 1 ? c : n == -EINTR ? -EINTR : -1;
}

/* ESC [ A, ESC O A, ESC [ 3 ~ and so on. */
static int next_sequence(void)
{
    static const char letters[] = "ABCDHF";
    static const short keys_of[] = {KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT, KEY_HOME, KEY_END};
    const char *letter;
    int c = next_byte(), number = 0;

    if (c != '[' && c != 'O')
        return KEY_NONE;
    while ((c = next_byte()) >= '0' && c <= '9')
        number = number * 10 + c - '0';
    if (c == '~' && number == 3)
        return KEY_DELETE;
    if (c == '~')
        return number == 1 || number == 7   ? KEY_HOME
               : number == 4 || number == 8 ? KEY_END
                                            : KEY_NONE;
    letter = c > 0 ? strchr(letters, c) : NULL;
    return letter ? keys_of[letter - letters] : KEY_NONE;
}

static int next_key(void)
{
    int c = next_byte();

    return c == ESCAPE ? next_sequence() : c;
}

/* ---- changes ---- */

static void move(size_t at)
{
    line.at = at;
    move_to(cell_of(at));
}

static void insert(const char *s, size_t n)
{
    size_t from = line.at;

    if (line.len + n >= LINE_ROOM)
        return;
    memmove(line.text + from + n, line.text + from, line.len - from);
    memcpy(line.text + from, s, n);
    line.len += n;
    line.at += n;
    show_from(from, false);
}

/* The bytes of a character come one by one. Others are left out: they are not UTF-8. */
static void insert_byte(unsigned char c)
{
    if (goes_on(c) && !line.left)
        return;
    if (!goes_on(c)) {
        line.read = 0;
        line.left = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    }
    line.character[line.read++] = c;
    if (!--line.left)
        insert(line.character, line.read);
}

static size_t character_before(size_t at)
{
    while (at && goes_on(line.text[--at]))
        ;
    return at;
}

static size_t character_after(size_t at)
{
    while (at < line.len && goes_on(line.text[++at]))
        ;
    return at;
}

static void cut(size_t from, size_t to)
{
    memmove(line.text + from, line.text + to, line.len - to);
    line.len -= to - from;
    move(from);
    show_from(from, true);
}

static size_t word_begin(void)
{
    size_t at = line.at;

    while (at && line.text[at - 1] == ' ')
        at--;
    while (at && line.text[at - 1] != ' ')
        at--;
    return at;
}

static void set_text(const char *text)
{
    size_t len = min(strlen(text), (size_t)LINE_ROOM - 1);

    move(0);
    memcpy(line.text, text, len);
    line.len = line.at = len;
    show_from(0, true);
}

/* ---- history ---- */

static void add_to_history(const char *text)
{
    char **last = &history[(history_end + HISTORY_MAX - 1) % HISTORY_MAX];

    if (!*text || (*last && !strcmp(*last, text)))
        return;
    free(history[history_end % HISTORY_MAX]);
    history[history_end++ % HISTORY_MAX] = shell_strdup(text);
}

/* Shows the line at `at`; the end is the line that was being typed. Returns where it is now. */
static size_t show_history(size_t now, size_t at, char **typed)
{
    if (at > history_end || at + HISTORY_MAX < history_end)
        return now;
    if (now == history_end) {
        free(*typed);
        *typed = shell_strndup(line.text, line.len);
    }
    set_text(at == history_end ? *typed : history[at % HISTORY_MAX]);
    return at;
}

/* ---- completion ---- */

static bool begins_word(char c)
{
    return strchr(" \t;|&<>()=:", c) != NULL;
}

/* The names that begin as the word does: of commands, or of files in the directory dir. */
static void find_names(struct strings *found, const char *dir, const char *begin, bool commands)
{
    struct strings all = {NULL, 0, 0};
    int i;

    if (commands)
        applet_names(&all);
    (void)read_names(commands ? "/bin" : *dir ? dir : ".", *begin == '.', &all);
    for (i = 0; i < all.n; i++)
        if (!strncmp(all.v[i], begin, strlen(begin)))
            strings_add(found, shell_strdup(all.v[i]));
    strings_free(&all);
    if (found->n)
        sort_strings(found->v, found->n);
}

/* Of what all names begin with, in whole characters: `least' bytes or more. */
static size_t common_length(const struct strings *names, size_t least)
{
    size_t len = strlen(names->v[0]);
    int i;

    for (i = 1; i < names->n; i++)
        while (strncmp(names->v[0], names->v[i], len) != 0)
            len--;
    while (len > least && goes_on(names->v[0][len]))
        len--;
    return len;
}

static void list_names(const struct strings *names)
{
    int i;

    move_to(cell_of(line.len));
    out("\n");
    for (i = 0; i < names->n; i++) {
        out(names->v[i]);
        out(i + 1 < names->n ? "  " : "\n");
    }
    show_whole();
}

/* Completes the word before the cursor as far as it is clear; if it is not, lists the names. */
static void complete(void)
{
    struct strings names = {NULL, 0, 0};
    size_t start = line.at, name, first = 0, len;
    char *dir, *begin;

    while (start && !begins_word(line.text[start - 1]))
        start--;
    for (name = line.at; name > start && line.text[name - 1] != '/';)
        name--;
    while (first < start && line.text[first] == ' ')
        first++;
    dir = shell_strndup(line.text + start, name - start);
    begin = shell_strndup(line.text + name, line.at - name);
    find_names(&names, dir, begin,
               name == start && (first == start || strchr(";|&(", line.text[start - 1])));
    if (names.n) {
        char *path = path_below(dir, names.v[0]);

        len = common_length(&names, strlen(begin));
        if (names.n > 1 && len == strlen(begin))
            list_names(&names);
        insert(names.v[0] + strlen(begin), len - strlen(begin));
        if (names.n == 1)
            insert(name > start && is_directory(path) ? "/" : " ", 1);
        free(path);
    }
    free(dir);
    free(begin);
    strings_free(&names);
}

/* ---- the line ---- */

static void edit_key(int key)
{
    switch (key) {
    case KEY_LEFT:
    case 'B' & CTRL: move(character_before(line.at)); break;
    case KEY_RIGHT:
    case 'F' & CTRL: move(character_after(line.at)); break;
    case KEY_HOME:
    case 'A' & CTRL: move(0); break;
    case KEY_END:
    case 'E' & CTRL: move(line.len); break;
    case 'H' & CTRL:
    case ERASE:
        if (line.at)
            cut(character_before(line.at), line.at);
        break;
    case KEY_DELETE:
    case 'D' & CTRL:
        if (line.at < line.len)
            cut(line.at, character_after(line.at));
        break;
    case 'K' & CTRL: cut(line.at, line.len); break;
    case 'U' & CTRL: cut(0, line.at); break;
    case 'W' & CTRL: cut(word_begin(), line.at); break;
    case 'L' & CTRL:
        out("\033[H\033[J");
        show_whole();
        break;
    case '\t': complete(); break;
    default:
        if (key < KEY_NONE && key >= ' ')
            insert_byte(key);
    }
}

/* Returns 1, 0 (end of file) or -EINTR. */
static int edit(void)
{
    size_t now = history_end;
    char *typed = NULL;
    int key, result = 1;

    while ((key = next_key()) != '\n' && key != '\r') {
        if (key == -EINTR || key == -1 || (key == ('D' & CTRL) && !line.len)) {
            result = key == -EINTR ? -EINTR : 0;
            break;
        }
        if (key == KEY_UP || key == ('P' & CTRL))
            now = show_history(now, now - 1, &typed);
        else if (key == KEY_DOWN || key == ('N' & CTRL))
            now = show_history(now, now + 1, &typed);
        else
            edit_key(key);
    }
    free(typed);
    move(line.len);
    out(result < 0 ? "^C\n" : result || line.len ? "\n" : "");
    flush();
    return result;
}

int edit_line(const char *prompt, struct strbuf *to)
{
    int result;

    ioctl(0, TCGETS, &cooked);
    set_terminal(true);
    read_columns();
    line.prompt = prompt;
    line.len = line.at = line.left = 0;
    show_whole();
    result = edit();
    set_terminal(false);
    if (result > 0) {
        line.text[line.len] = 0;
        add_to_history(line.text);
        strbuf_addn(to, line.text, line.len);
        strbuf_addc(to, '\n');
    }
    return result;
}
