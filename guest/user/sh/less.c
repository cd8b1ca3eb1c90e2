/* less.c - the command less: shows text by the page. Without a terminal it is cat. */
#include "applet.h"
#include "shell.h"

static struct {
    char **lines; /* without newlines */
    size_t count, top;
    size_t rows; /* for text; the last row of the terminal is for the prompt */
    size_t columns;
    int tty;
    char pattern[80];
} less;

static void split(char *text, size_t size)
{
    char *p = text, *end = text + size;
    size_t room = 1;

    for (; p < end; p++)
        room += *p == '\n';
    less.lines = shell_alloc((room + 1) * sizeof(*less.lines));
    for (p = text; p < end; p += strlen(p) + 1) {
        char *newline = strchr(p, '\n');

        if (newline)
            *newline = 0;
        less.lines[less.count++] = p;
    }
}

/* Lines that are longer than a row are cut off. */
static void show_page(void)
{
    struct strbuf page = {NULL, 0, 0};
    size_t i;

    strbuf_adds(&page, "\033[H\033[J");
    for (i = 0; i < less.rows; i++) {
        const char *line = less.top + i < less.count ? less.lines[less.top + i] : "~";

        strbuf_addn(&page, line, min(strlen(line), less.columns));
        strbuf_adds(&page, "\r\n");
    }
    strbuf_adds(&page, less.top + less.rows >= less.count ? "(END)" : ":");
    put(page.s, page.len);
    free(page.s);
}

/* Moves to the next line with the pattern. */
static void search(void)
{
    size_t i;

    for (i = less.top + 1; i < less.count && *less.pattern; i++)
        if (strstr(less.lines[i], less.pattern)) {
            less.top = i;
            return;
        }
}

static int key(void)
{
    unsigned char c;

    return read(less.tty, &c, 1) == 1 ? c : 'q';
}

static void read_pattern(void)
{
    size_t n = 0;
    int c;

    put("\r\033[J/", 5);
    while ((c = key()) != '\r' && c != '\n' && n < sizeof(less.pattern) - 1) {
        less.pattern[n++] = c;
        put(less.pattern + n - 1, 1);
    }
    less.pattern[n] = 0;
}

/* Arrows and pages are ESC [ A, B, 5 ~ and 6 ~. */
static int command_of(int c)
{
    if (c != 033)
        return c;
    if (key() != '[')
        return 0;
    c = key();
    if (c == '5' || c == '6')
        (void)key();
    return c == 'A' ? 'k' : c == 'B' ? 'j' : c == '5' ? 'b' : c == '6' ? ' ' : 0;
}

static void browse(void)
{
    int c;

    for (;;) {
        size_t last = less.count > less.rows ? less.count - less.rows : 0;

        less.top = min(less.top, last);
        show_page();
        c = command_of(key());
        if (c == 'q')
            break;
        if (c == ' ' || c == 'f')
            less.top += less.rows;
        else if (c == 'b')
            less.top -= min(less.top, less.rows);
        else if (c == 'j' || c == '\r' || c == '\n')
            less.top++;
        else if (c == 'k')
            less.top -= less.top ? 1 : 0;
        else if (c == 'g' || c == 'G')
            less.top = c == 'g' ? 0 : last;
        else if (c == '/')
            read_pattern();
        if (c == '/' || c == 'n')
            search();
    }
    put("\r\033[J", 4);
}

int do_less(int argc, char **argv)
{
    struct termios cooked, raw;
    struct winsize size = {0};
    size_t length;
    char *text;

    less.tty = ioctl(1, TCGETS, &cooked) ? -1 : open("/dev/tty", O_RDWR, 0);
    if (less.tty < 0 || argc > 2)
        return do_cat(argc, argv);
    text = argc > 1 ? read_whole_file(argv[1], &length) : read_whole(0, &length);
    if (IS_ERR(text))
        return complain("less", argc > 1 ? argv[1] : "-", PTR_ERR(text));
    ioctl(less.tty, TIOCGWINSZ, &size);
    less.rows = (size.rows ? size.rows : 24) - 1;
    less.columns = size.columns ? size.columns : 80;
    split(text, length);
    raw = cooked;
    raw.c_lflag &= ~(uint32_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    ioctl(less.tty, TCSETSW, &raw);
    browse();
    ioctl(less.tty, TCSETSW, &cooked);
    return 0;
}
