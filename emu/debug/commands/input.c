/*
 * input.c - command lines: from a terminal through libedit, or from a stream.
 * Lines of a stream are echoed after the prompt, so that the output looks like
 * a typed session.
 */
#include "debug/commands/input.h"

#include <errno.h>
#include <histedit.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "debug/commands/complete.h"
#include "debug/commands/session.h"

#define PROMPT      "(rvftrace) "
#define BODY_PROMPT ">"

enum { HISTORY_LINES = 1000 };

struct input {
    struct debugger *d;
    FILE *stream; /* NULL with libedit */
    bool owned;   /* `stream` is commands_file, opened here */
    char *line;
    size_t size;
    EditLine *edit; /* NULL: lines come from `stream` */
    History *history;
    bool in_body;   /* of a command that takes several lines */
    bool cancelled; /* the line was cancelled by Ctrl-C */
};

/* Waits for input. False: the session must end, even if there is more to read. */
static bool may_read(const struct debugger *d)
{
    return !d->config.await_input || d->config.await_input(d->config.ctx);
}

/* ---- completion ---- */

static unsigned char list_words(struct input *in, const struct completions *c)
{
    enum { LIST_MAX = 100 };

    if (c->count > LIST_MAX)
        fprintf(in->d->out, "\n%zu completions", c->count);
    for (size_t i = 0; i < c->count && c->count <= LIST_MAX; i++)
        fprintf(in->d->out, "%s%s", i ? "  " : "\n", c->word[i]);
    fprintf(in->d->out, "\n");
    fflush(in->d->out);
    return CC_REDISPLAY;
}

/* Whether the completed word is whole: there is only one, and nothing can follow it directly. */
static bool is_whole(const struct completions *c)
{
    return c->count == 1 && c->word[0][strlen(c->word[0]) - 1] != ':';
}

static unsigned char insert_common(EditLine *edit, const struct completions *c, size_t typed)
{
    char *common =
        xasprintf("%.*s%s", (int)completions_common(c), c->word[0], is_whole(c) ? " " : "");
    int failed = strlen(common) > typed ? el_insertstr(edit, common + typed) : 0;

    free(common);
    return failed ? CC_ERROR : CC_REFRESH;
}

/* TAB: completes the longest common prefix; if that adds nothing, lists the completions. */
static unsigned char complete(EditLine *edit, wint_t key)
{
    const LineInfo *info = el_line(edit);
    char *line = xasprintf("%.*s", (int)(info->cursor - info->buffer), info->buffer);
    struct completions c;
    unsigned char result = CC_ERROR;
    struct input *in;
    size_t typed;

    (void)key;
    el_get(edit, EL_CLIENTDATA, &in);
    complete_line(in->d, line, &c);
    typed = strlen(line) - c.start;
    if (c.count)
        result = is_whole(&c) || completions_common(&c) > typed ? insert_common(edit, &c, typed)
                                                                : list_words(in, &c);
    completions_free(&c);
    free(line);
    return result;
}

/* ---- the terminal ---- */

static unsigned char cancel(EditLine *edit, wint_t key)
{
    struct input *in;

    (void)key;
    el_get(edit, EL_CLIENTDATA, &in);
    in->cancelled = true;
    return CC_NEWLINE;
}

/*
 * Reads a character for libedit, in the locale's encoding. Unlike libedit's own function it checks
 * whether the session must end, for example because of a signal.
 */
static int read_key(EditLine *edit, wchar_t *key)
{
    mbstate_t state = {0};
    struct input *in;
    char byte;

    el_get(edit, EL_CLIENTDATA, &in);
    for (;;) {
        ssize_t n = may_read(in->d) ? read(STDIN_FILENO, &byte, 1) : 0;

        if (n <= 0)
            return (int)n;
        switch (mbrtowc(key, &byte, 1, &state)) {
        case (size_t)-2: break; /* incomplete: read the next byte */
        case (size_t)-1: state = (mbstate_t){0}; break;
        default: return 1;
        }
    }
}

static char *prompt(EditLine *edit)
{
    struct input *in;

    el_get(edit, EL_CLIENTDATA, &in);
    return in->in_body ? BODY_PROMPT : PROMPT; /* libedit's type is char *, but it does not write */
}

static void open_terminal(struct input *in)
{
    HistEvent event;

    (void)setlocale(LC_CTYPE, "C.UTF-8"); /* or libedit drops what is not ASCII */
    in->edit = el_init("rvftrace", stdin, in->d->out, stderr);
    in->history = history_init();
    if (!in->edit || !in->history)
        return;
    history(in->history, &event, H_SETSIZE, HISTORY_LINES);
    history(in->history, &event, H_SETUNIQUE, 1);
    el_set(in->edit, EL_CLIENTDATA, in);
    el_set(in->edit, EL_GETCFN, read_key);
    el_set(in->edit, EL_PROMPT, prompt);
    el_set(in->edit, EL_EDITOR, "emacs");
    el_set(in->edit, EL_HIST, history, in->history);
    /* el_set would leak copies of the strings. */
    el_wset(in->edit, EL_ADDFN, L"rvftrace-complete", L"complete commands and symbols", complete);
    el_set(in->edit, EL_BIND, "^I", "rvftrace-complete", NULL);
    /* While a line is edited, Ctrl-C is a key and not a signal, which would stop the machine. */
    el_set(in->edit, EL_SETTY, "-d", "-isig", NULL);
    el_wset(in->edit, EL_ADDFN, L"rvftrace-cancel", L"cancel this line", cancel);
    el_set(in->edit, EL_BIND, "^C", "rvftrace-cancel", NULL);
}

static const char *line_of_terminal(struct input *in)
{
    HistEvent event;
    const char *line;
    int len;

    do {
        in->cancelled = false;
        line = el_gets(in->edit, &len);
        if (in->cancelled)
            fprintf(in->d->out, "\n");
    } while (in->cancelled); /* el_gets returns NULL for a cancelled empty line */
    if (!line) {
        fprintf(in->d->out, "\n");
        return NULL;
    }
    free(in->line);
    in->line = xstrdup(line);
    in->line[strcspn(in->line, "\n")] = '\0';
    if (in->line[strspn(in->line, " \t")])
        history(in->history, &event, H_ENTER, in->line);
    return in->line;
}

/* ---- a stream ---- */

static const char *line_of_stream(struct input *in)
{
    if (!in->owned && !may_read(in->d))
        return NULL;
    if (getline(&in->line, &in->size, in->stream) < 0)
        return NULL;
    in->line[strcspn(in->line, "\r\n")] = '\0';
    if (!in->d->config.batch)
        fprintf(in->d->out, "%s%s\n", in->in_body ? BODY_PROMPT : PROMPT, in->line);
    return in->line;
}

FILE *open_commands(const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat st;

    if (f && !fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) { /* which opens, but has no lines */
        fclose(f);
        f = NULL;
        errno = EISDIR;
    }
    return f;
}

static bool open_stream(struct input *in)
{
    const char *path = in->d->config.commands_file;

    in->stream = path ? open_commands(path) : stdin;
    in->owned = path != NULL;
    if (!in->stream)
        complain(in->d, "%s: %s", path, strerror(errno));
    else if (!in->owned)
        setvbuf(in->stream, NULL, _IONBF, 0); /* may_read must see all unread input */
    return in->stream != NULL;
}

/* ---- terminal or stream ---- */

struct input *input_new(struct debugger *d)
{
    struct input *in = xcalloc(1, sizeof *in);

    in->d = d;
    if (d->config.interactive && !d->config.commands_file)
        open_terminal(in);
    if (!in->edit && !open_stream(in)) {
        free(in);
        return NULL;
    }
    return in;
}

void input_free(struct input *in)
{
    if (!in)
        return;
    if (in->edit)
        el_end(in->edit); /* also restores the terminal's modes */
    if (in->history)
        history_end(in->history);
    if (in->owned)
        fclose(in->stream);
    free(in->line);
    free(in);
}

const char *input_line(struct input *in)
{
    return in->edit ? line_of_terminal(in) : line_of_stream(in);
}

const char *input_body_line(struct input *in)
{
    const char *line;

    in->in_body = true;
    line = input_line(in);
    in->in_body = false;
    return line;
}

bool input_is_file(const struct input *in)
{
    return in->owned;
}
