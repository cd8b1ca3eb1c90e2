/*
 * parse.c - parses shell commands to a tree.
 *
 * Recursive descent over POSIX's grammar with one token of lookahead. Words are kept as
 * written, with their quotes; expand.c interprets them.
 */
#include "shell.h"

enum token {
    TOK_END, /* end of the text */
    TOK_WORD,
    TOK_NEWLINE,
    TOK_SEMI,
    TOK_DSEMI,
    TOK_AMP,
    TOK_AND,
    TOK_PIPE,
    TOK_OR,
    TOK_OPEN,
    TOK_CLOSE,
    TOK_REDIRECT,
};

enum { CHUNK_SIZE = 1008 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    char bytes[];
};

struct parser {
    const char *p; /* end of the token */
    enum token tok;
    const char *start; /* start of the token */
    size_t len;
    enum redirect_type redirect;       /* of a TOK_REDIRECT */
    int fd;                            /* its descriptor; -1: the default */
    bool strip_tabs;                   /* the redirection was <<- */
    struct redirect *here, **here_end; /* here-documents whose text follows this line */
    struct program *prog;
    enum parse_status status; /* PARSE_OK until an error */
};

/* ---- memory of a program ---- */

static void *prog_alloc(struct program *prog, size_t size)
{
    struct chunk *c = prog->chunks;

    size = (size + sizeof(long) - 1) & -sizeof(long);
    if (!c || c->size - c->used < size) {
        size_t room = max(size, (size_t)CHUNK_SIZE);

        c = shell_alloc(sizeof(*c) + room);
        c->size = room;
        c->next = prog->chunks;
        prog->chunks = c;
    }
    c->used += size;
    return c->bytes + c->used - size;
}

struct program *program_get(struct program *prog)
{
    if (prog)
        prog->refs++;
    return prog;
}

void program_put(struct program *prog)
{
    struct chunk *c;

    if (!prog || --prog->refs)
        return;
    while ((c = prog->chunks)) {
        prog->chunks = c->next;
        free(c);
    }
    free(prog);
}

static char *copy_text(struct parser *ps, const char *s, size_t len)
{
    char *copy = prog_alloc(ps->prog, len + 1);

    memcpy(copy, s, len);
    copy[len] = 0;
    return copy;
}

static struct node *new_node(struct parser *ps, enum node_type type, struct node *first,
                             struct node *second)
{
    struct node *n = prog_alloc(ps->prog, sizeof(*n));

    n->type = type;
    n->first = first;
    n->second = second;
    return n;
}

/* ---- where a word ends ---- */

static const char *skip_single_quotes(const char *p)
{
    p = strchr(p + 1, '\'');
    return p ? p + 1 : NULL;
}

const char *skip_backquote(const char *p)
{
    for (p++; *p && *p != '`'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : NULL;
}

static const char *skip_double_quotes(const char *p)
{
    for (p++; p && *p && *p != '"';) {
        if (*p == '$')
            p = skip_dollar(p);
        else if (*p == '`')
            p = skip_backquote(p);
        else
            p += *p == '\\' && p[1] ? 2 : 1;
    }
    return p && *p ? p + 1 : NULL;
}

/* Skips one character, quoted string or expansion of a word; NULL: it is not closed. */
static const char *skip_piece(const char *p)
{
    switch (*p) {
    case '\'': return skip_single_quotes(p);
    case '"': return skip_double_quotes(p);
    case '`': return skip_backquote(p);
    case '$': return skip_dollar(p);
    case '\\': return p[1] ? p + 2 : NULL;
    default: return p + 1;
    }
}

static const char *skip_to_close(const char *p, char open, char close)
{
    int depth = 1;

    while (p && *p) {
        if (*p == close && !--depth)
            return p + 1;
        depth += *p == open;
        p = skip_piece(p);
    }
    return NULL;
}

const char *skip_dollar(const char *p)
{
    p++;
    if (*p == '(')
        return skip_to_close(p + 1, '(', ')');
    if (*p == '{')
        return skip_to_close(p + 1, '{', '}');
    return p;
}

static bool ends_word(char c)
{
    return !c || strchr(" \t\r\n;&|<>()", c);
}

const char *skip_word(const char *p)
{
    while (p && !ends_word(*p))
        p = skip_piece(p);
    return p;
}

/* ---- tokens ---- */

static void syntax_error(struct parser *ps)
{
    if (ps->status != PARSE_OK)
        return;
    ps->status = ps->tok == TOK_END ? PARSE_INCOMPLETE : PARSE_ERROR;
    if (ps->status == PARSE_INCOMPLETE)
        return;
    if (ps->tok == TOK_NEWLINE)
        shell_error("syntax error: unexpected newline");
    else
        shell_error("syntax error: unexpected \"%.*s\"", (int)ps->len, ps->start);
}

static const char *skip_blanks(const char *p)
{
    for (;;) {
        if (*p == '\\' && p[1] == '\n')
            p += 2;
        else if (*p == ' ' || *p == '\t' || *p == '\r')
            p++;
        else
            break;
    }
    if (*p == '#')
        while (*p && *p != '\n')
            p++;
    return p;
}

static const struct {
    const char *text; /* longer operators come before their prefixes */
    enum token tok;
    enum redirect_type redirect;
} operators[] = {
    {";;", TOK_DSEMI, 0},
    {";", TOK_SEMI, 0},
    {"&&", TOK_AND, 0},
    {"&", TOK_AMP, 0},
    {"||", TOK_OR, 0},
    {"|", TOK_PIPE, 0},
    {"(", TOK_OPEN, 0},
    {")", TOK_CLOSE, 0},
    {"\n", TOK_NEWLINE, 0},
    {"<<-", TOK_REDIRECT, REDIR_HERE},
    {"<<", TOK_REDIRECT, REDIR_HERE},
    {"<&", TOK_REDIRECT, REDIR_DUP},
    {"<>", TOK_REDIRECT, REDIR_RDWR},
    {"<", TOK_REDIRECT, REDIR_IN},
    {">>", TOK_REDIRECT, REDIR_APPEND},
    {">&", TOK_REDIRECT, REDIR_DUP},
    {">|", TOK_REDIRECT, REDIR_OUT},
    {">", TOK_REDIRECT, REDIR_OUT},
};

static bool read_operator(struct parser *ps, const char *p)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(operators); i++) {
        size_t len = strlen(operators[i].text);

        if (strncmp(p, operators[i].text, len))
            continue;
        ps->tok = operators[i].tok;
        ps->redirect = operators[i].redirect;
        ps->strip_tabs = len == 3;
        ps->p = p + len;
        return true;
    }
    return false;
}

/* Reads the text of a here-document up to its delimiter; it becomes the redirection's word. */
static void read_here(struct parser *ps, struct redirect *r)
{
    struct strbuf text = {NULL, 0, 0};
    const char *mark = r->word->text;
    bool found = false;

    while (*ps->p && !found) {
        const char *end, *line = ps->p;

        while (r->strip_tabs && *line == '\t')
            line++;
        end = strchr(line, '\n');
        end = end ? end : line + strlen(line);
        found = (size_t)(end - line) == strlen(mark) && !memcmp(line, mark, end - line);
        if (!found) {
            strbuf_addn(&text, line, end - line);
            strbuf_addc(&text, '\n');
        }
        ps->p = *end ? end + 1 : end;
    }
    if (!found)
        ps->status = PARSE_INCOMPLETE;
    r->word->text = copy_text(ps, text.len ? text.s : "", text.len);
    free(text.s);
}

static void read_pending_here(struct parser *ps)
{
    struct redirect *r = ps->here;

    ps->here = NULL;
    ps->here_end = &ps->here;
    for (; r; r = r->next_here)
        read_here(ps, r);
}

/* Reads a digit directly before < or > as the descriptor. */
static bool read_io_number(struct parser *ps)
{
    const char *p = ps->start;

    ps->fd = -1;
    if (*p < '0' || *p > '9' || (p[1] != '<' && p[1] != '>'))
        return false;
    ps->fd = *p - '0';
    return read_operator(ps, p + 1);
}

static void next_token(struct parser *ps)
{
    const char *end;

    ps->start = skip_blanks(ps->p);
    if (!*ps->start) {
        ps->tok = TOK_END;
        ps->p = ps->start;
    } else if (!read_io_number(ps) && !read_operator(ps, ps->start)) {
        end = skip_word(ps->start);
        ps->tok = end ? TOK_WORD : TOK_END;
        ps->p = end ? end : ps->start;
        if (!end)
            ps->status = PARSE_INCOMPLETE;
    }
    ps->len = ps->p - ps->start;
    if (ps->tok == TOK_NEWLINE && ps->here)
        read_pending_here(ps);
}

static bool is_word(const struct parser *ps, const char *word)
{
    return ps->tok == TOK_WORD && ps->len == strlen(word) && !memcmp(ps->start, word, ps->len);
}

static bool accept_word(struct parser *ps, const char *word)
{
    if (!is_word(ps, word))
        return false;
    next_token(ps);
    return true;
}

static void expect_word(struct parser *ps, const char *word)
{
    if (!accept_word(ps, word))
        syntax_error(ps);
}

static void expect(struct parser *ps, enum token tok)
{
    if (ps->tok != tok)
        syntax_error(ps);
    else
        next_token(ps);
}

static void skip_newlines(struct parser *ps)
{
    while (ps->tok == TOK_NEWLINE && ps->status == PARSE_OK)
        next_token(ps);
}

/* ---- the grammar ---- */

static struct node *parse_list(struct parser *ps);
static struct node *parse_command(struct parser *ps);

static struct word *take_word(struct parser *ps)
{
    struct word *w;

    if (ps->tok != TOK_WORD) {
        syntax_error(ps);
        return NULL;
    }
    w = prog_alloc(ps->prog, sizeof(*w));
    w->text = copy_text(ps, ps->start, ps->len);
    next_token(ps);
    return w;
}

/*
 * Removes quotes from the delimiter of a here-document; if there are any, its text is not
 * expanded.
 */
static void unquote_mark(struct redirect *r)
{
    char *to = (char *)r->word->text;
    const char *from = to;

    for (; *from; from++) {
        if (strchr("'\"\\", *from))
            r->literal = true;
        else
            *to++ = *from;
    }
    *to = 0;
}

static int usual_fd(enum redirect_type type, char first)
{
    return type == REDIR_IN || type == REDIR_HERE || type == REDIR_RDWR || first == '<' ? 0 : 1;
}

static struct redirect *parse_redirect(struct parser *ps)
{
    struct redirect *r = prog_alloc(ps->prog, sizeof(*r));

    r->type = ps->redirect;
    r->strip_tabs = ps->strip_tabs;
    r->fd = ps->fd >= 0 ? ps->fd : usual_fd(r->type, *ps->start);
    next_token(ps);
    if (r->type == REDIR_HERE && ps->tok == TOK_WORD) {
        /* Registered before the next token is read, since reading a newline reads its text. */
        struct word *w = prog_alloc(ps->prog, sizeof(*w));

        w->text = copy_text(ps, ps->start, ps->len);
        r->word = w;
        unquote_mark(r);
        *ps->here_end = r;
        ps->here_end = &r->next_here;
        next_token(ps);
    } else {
        r->word = take_word(ps);
    }
    return r;
}

static bool is_assignment(const struct parser *ps)
{
    size_t len = name_length(ps->start);

    return len && len < ps->len && ps->start[len] == '=';
}

static struct node *parse_function(struct parser *ps, const struct word *name)
{
    struct node *n = new_node(ps, NODE_FUNCTION, NULL, NULL);

    n->name = name->text;
    next_token(ps);
    expect(ps, TOK_CLOSE);
    skip_newlines(ps);
    n->first = parse_command(ps);
    return n;
}

static struct node *parse_simple(struct parser *ps)
{
    struct node *n = new_node(ps, NODE_SIMPLE, NULL, NULL);
    struct word **words = &n->words, **assigns = &n->assigns;
    struct redirect **redirects = &n->redirects;

    while (ps->status == PARSE_OK) {
        if (ps->tok == TOK_REDIRECT) {
            struct redirect *r = parse_redirect(ps);

            *redirects = r;
            redirects = &r->next;
        } else if (ps->tok == TOK_WORD && !n->words && is_assignment(ps)) {
            *assigns = take_word(ps);
            assigns = &(*assigns)->next;
        } else if (ps->tok == TOK_WORD) {
            *words = take_word(ps);
            words = &(*words)->next;
        } else if (ps->tok == TOK_OPEN && n->words && !n->words->next && !n->assigns &&
                   is_name(n->words->text, strlen(n->words->text))) {
            return parse_function(ps, n->words);
        } else {
            break;
        }
    }
    if (!n->words && !n->assigns && !n->redirects)
        syntax_error(ps);
    return n;
}

/* Parses a list that must not be empty. */
static struct node *parse_body(struct parser *ps)
{
    struct node *n = parse_list(ps);

    if (!n)
        syntax_error(ps);
    return n;
}

static struct node *parse_if(struct parser *ps)
{
    struct node *n = new_node(ps, NODE_IF, parse_body(ps), NULL);

    expect_word(ps, "then");
    n->second = parse_body(ps);
    if (accept_word(ps, "elif")) {
        n->third = parse_if(ps);
        return n;
    }
    if (accept_word(ps, "else"))
        n->third = parse_body(ps);
    expect_word(ps, "fi");
    return n;
}

static struct node *parse_do(struct parser *ps)
{
    struct node *body;

    expect_word(ps, "do");
    body = parse_body(ps);
    expect_word(ps, "done");
    return body;
}

static struct node *parse_while(struct parser *ps, enum node_type type)
{
    struct node *n = new_node(ps, type, parse_body(ps), NULL);

    n->second = parse_do(ps);
    return n;
}

static struct word *parse_words(struct parser *ps)
{
    struct word *words = NULL, **end = &words;

    while (ps->tok == TOK_WORD) {
        *end = take_word(ps);
        end = &(*end)->next;
    }
    return words;
}

static struct node *parse_for(struct parser *ps)
{
    struct node *n = new_node(ps, NODE_FOR, NULL, NULL);
    struct word *name = take_word(ps);

    n->name = name ? name->text : "";
    skip_newlines(ps);
    n->all_args = !accept_word(ps, "in");
    if (!n->all_args)
        n->words = parse_words(ps);
    if (ps->tok == TOK_SEMI)
        next_token(ps);
    skip_newlines(ps);
    n->first = parse_do(ps);
    return n;
}

static struct case_item *parse_case_item(struct parser *ps)
{
    struct case_item *item = prog_alloc(ps->prog, sizeof(*item));
    struct word **patterns = &item->patterns;

    if (ps->tok == TOK_OPEN)
        next_token(ps);
    do {
        *patterns = take_word(ps);
        if (!*patterns)
            return item;
        patterns = &(*patterns)->next;
    } while (ps->tok == TOK_PIPE && (next_token(ps), true));
    expect(ps, TOK_CLOSE);
    item->body = parse_list(ps);
    if (ps->tok == TOK_DSEMI)
        next_token(ps);
    else if (!is_word(ps, "esac"))
        syntax_error(ps);
    skip_newlines(ps);
    return item;
}

static struct node *parse_case(struct parser *ps)
{
    struct node *n = new_node(ps, NODE_CASE, NULL, NULL);
    struct case_item **items = &n->items;

    n->words = take_word(ps);
    skip_newlines(ps);
    expect_word(ps, "in");
    skip_newlines(ps);
    while (ps->status == PARSE_OK && !accept_word(ps, "esac")) {
        *items = parse_case_item(ps);
        items = &(*items)->next;
    }
    return n;
}

static struct node *parse_group(struct parser *ps)
{
    struct node *n = new_node(ps, NODE_GROUP, parse_body(ps), NULL);

    expect_word(ps, "}");
    return n;
}

static struct node *parse_parentheses(struct parser *ps)
{
    struct node *n = new_node(ps, NODE_SUBSHELL, parse_body(ps), NULL);

    expect(ps, TOK_CLOSE);
    return n;
}

/* Parses a compound command; NULL: the first word starts none. */
static struct node *parse_compound(struct parser *ps)
{
    if (accept_word(ps, "if"))
        return parse_if(ps);
    if (accept_word(ps, "while"))
        return parse_while(ps, NODE_WHILE);
    if (accept_word(ps, "until"))
        return parse_while(ps, NODE_UNTIL);
    if (accept_word(ps, "for"))
        return parse_for(ps);
    if (accept_word(ps, "case"))
        return parse_case(ps);
    if (accept_word(ps, "{"))
        return parse_group(ps);
    if (ps->tok == TOK_OPEN) {
        next_token(ps);
        return parse_parentheses(ps);
    }
    return NULL;
}

static void parse_redirects(struct parser *ps, struct node *n)
{
    struct redirect **end = &n->redirects;

    while (ps->tok == TOK_REDIRECT && ps->status == PARSE_OK) {
        *end = parse_redirect(ps);
        end = &(*end)->next;
    }
}

static bool ends_list(const struct parser *ps)
{
    static const char *const enders[] = {"then", "elif", "else", "fi", "do", "done", "esac", "}"};
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(enders); i++)
        if (is_word(ps, enders[i]))
            return true;
    return ps->tok != TOK_WORD && ps->tok != TOK_OPEN && ps->tok != TOK_REDIRECT;
}

static struct node *parse_command(struct parser *ps)
{
    struct node *n;

    if (shell_stack_low()) {
        shell_error("commands nested too deeply");
        ps->status = PARSE_ERROR;
        return NULL;
    }
    if (ends_list(ps)) {
        syntax_error(ps);
        return NULL;
    }
    n = parse_compound(ps);
    if (n)
        parse_redirects(ps, n);
    else
        n = parse_simple(ps);
    return n;
}

static struct node *parse_pipeline(struct parser *ps)
{
    bool inverted = accept_word(ps, "!");
    struct node *n = parse_command(ps);

    /* Nested to the right, so that a pipeline is a list of its members. */
    if (ps->tok == TOK_PIPE && ps->status == PARSE_OK) {
        struct node *pipe = new_node(ps, NODE_PIPE, n, NULL), *last = pipe;

        while (ps->tok == TOK_PIPE && ps->status == PARSE_OK) {
            struct node *next;

            next_token(ps);
            skip_newlines(ps);
            next = parse_command(ps);
            if (ps->tok == TOK_PIPE)
                next = new_node(ps, NODE_PIPE, next, NULL);
            last->second = next;
            last = next;
        }
        n = pipe;
    }
    return inverted ? new_node(ps, NODE_NOT, n, NULL) : n;
}

static struct node *parse_and_or(struct parser *ps)
{
    struct node *n = parse_pipeline(ps);

    while ((ps->tok == TOK_AND || ps->tok == TOK_OR) && ps->status == PARSE_OK) {
        enum node_type type = ps->tok == TOK_AND ? NODE_AND : NODE_OR;

        next_token(ps);
        skip_newlines(ps);
        n = new_node(ps, type, n, NULL);
        n->second = parse_pipeline(ps);
    }
    return n;
}

/* Parses up to a word or token that cannot start a command; NULL: empty. */
static struct node *parse_list(struct parser *ps)
{
    struct node *list = NULL;

    skip_newlines(ps);
    while (ps->status == PARSE_OK && !ends_list(ps)) {
        struct node *n = parse_and_or(ps);

        if (ps->tok == TOK_AMP)
            n = new_node(ps, NODE_BACKGROUND, n, NULL);
        list = list ? new_node(ps, NODE_LIST, list, n) : n;
        if (ps->tok != TOK_AMP && ps->tok != TOK_SEMI && ps->tok != TOK_NEWLINE)
            break;
        next_token(ps);
        skip_newlines(ps);
    }
    return list;
}

static struct node *parse_separated(struct parser *ps)
{
    struct node *n = parse_and_or(ps);

    if (ps->tok == TOK_AMP)
        n = new_node(ps, NODE_BACKGROUND, n, NULL);
    else if (ps->tok != TOK_SEMI && ps->tok != TOK_NEWLINE && ps->tok != TOK_END)
        syntax_error(ps);
    return n;
}

/*
 * Parses one command and its separator, and reads nothing after it, which may not have been
 * typed yet. With a here-document, whose text comes after the line, it parses the rest of the
 * line, too.
 */
static void parse_one(struct parser *ps)
{
    next_token(ps);
    if (ps->tok == TOK_END || ps->tok == TOK_NEWLINE || ps->status != PARSE_OK)
        return;
    ps->prog->root = parse_separated(ps);
    while (ps->here && (ps->tok == TOK_SEMI || ps->tok == TOK_AMP) && ps->status == PARSE_OK) {
        next_token(ps);
        if (ps->tok == TOK_WORD || ps->tok == TOK_OPEN || ps->tok == TOK_REDIRECT)
            ps->prog->root = new_node(ps, NODE_LIST, ps->prog->root, parse_separated(ps));
    }
    if (ps->here && ps->status == PARSE_OK)
        ps->status = PARSE_INCOMPLETE;
}

enum parse_status shell_parse(const char **text, struct program **prog)
{
    struct parser ps = {.p = *text, .status = PARSE_OK};

    if (!*skip_blanks(*text))
        return PARSE_END;
    ps.here_end = &ps.here;
    ps.prog = shell_alloc(sizeof(*ps.prog));
    ps.prog->refs = 1;
    parse_one(&ps);
    *text = ps.p;
    if (ps.status == PARSE_OK) {
        *prog = ps.prog;
        return PARSE_OK;
    }
    program_put(ps.prog);
    return ps.status;
}
