/* builtins.c - commands that change the shell itself, or are too small for a process. */
#include "applet.h"
#include "shell.h"

/* Writes the whole line in one write, since a control file takes one command per write. */
static int do_echo(struct shell *sh, int argc, char **argv)
{
    struct strbuf line = {NULL, 0, 0};
    bool newline = argc < 2 || strcmp(argv[1], "-n");
    int status, i;

    (void)sh;
    for (i = newline ? 1 : 2; i < argc; i++) {
        strbuf_adds(&line, argv[i]);
        if (i + 1 < argc)
            strbuf_addc(&line, ' ');
    }
    if (newline)
        strbuf_addc(&line, '\n');
    status = put(line.s, line.len);
    free(line.s);
    return status;
}

/*
 * Returns the character that a backslash before *p means; advances *p to the last character
 * used.
 */
static char unescape(const char **p)
{
    static const char from[] = "ntr\\abf", to[] = "\n\t\r\\\a\b\f";
    const char *hit = strchr(from, **p);
    int value = 0, n;

    if (**p >= '0' && **p <= '7') {
        for (n = 0; n < 3 && (*p)[n] >= '0' && (*p)[n] <= '7'; n++)
            value = value * 8 + (*p)[n] - '0';
        *p += n - 1;
        return value;
    }
    return hit && **p ? to[hit - from] : **p;
}

static void print_string(struct strbuf *out, const char *s, bool escapes)
{
    for (; *s; s++) {
        if (escapes && *s == '\\' && s[1])
            s++, strbuf_addc(out, unescape(&s));
        else
            strbuf_addc(out, *s);
    }
}

static int64_t number_of(const char *s)
{
    bool negative = *s == '-';
    unsigned long value;

    if (!*s)
        return 0;
    if (kstrtoul(s + negative, 0, &value)) {
        shell_error("%s: not a number", s);
        return 0;
    }
    return negative ? -(int64_t)value : (int64_t)value;
}

/* Formats one conversion. spec is its text from '%' on; it has no length modifier. */
static void print_conversion(struct strbuf *out, const char *spec, size_t len, const char *arg)
{
    char fmt[16], text[256];
    char type = spec[len - 1];

    if (len + 2 > sizeof(fmt))
        return;
    memcpy(fmt, spec, len - 1);
    switch (type) {
    case 's':
    case 'c':
        memcpy(fmt + len - 1, "s", 2);
        snprintf(text, sizeof(text), fmt, arg);
        if (type == 'c')
            text[*arg ? 1 : 0] = 0;
        strbuf_adds(out, text);
        break;
    case 'b': print_string(out, arg, true); break;
    default:
        fmt[len - 1] = 'l';
        fmt[len] = type;
        fmt[len + 1] = 0;
        snprintf(text, sizeof(text), fmt, number_of(arg));
        strbuf_adds(out, text);
    }
}

/* Applies the format once. Returns the first unused argument, or NULL after an error. */
static char **print_format(struct strbuf *out, const char *fmt, char **argv)
{
    for (; *fmt; fmt++) {
        size_t len = 1;

        if (*fmt == '\\' && fmt[1]) {
            fmt++;
            strbuf_addc(out, unescape(&fmt));
            continue;
        }
        if (*fmt != '%' || fmt[1] == '%') {
            fmt += *fmt == '%';
            strbuf_addc(out, *fmt);
            continue;
        }
        while (fmt[len] && strchr("-0123456789.", fmt[len]))
            len++;
        if (!fmt[len] || !strchr("dixXuscb", fmt[len])) {
            shell_error("printf: %s: invalid format", fmt);
            return NULL;
        }
        print_conversion(out, fmt, len + 1, *argv ? *argv : "");
        argv += !!*argv;
        fmt += len;
    }
    return argv;
}

/* The format is repeated until all arguments are used. */
static int do_printf(struct shell *sh, int argc, char **argv)
{
    struct strbuf out = {NULL, 0, 0};
    char **left = argv + 2, **before;
    int status = STATUS_ERROR;

    (void)sh;
    if (argc < 2)
        return usage_error(argv);
    do {
        before = left;
        left = print_format(&out, argv[1], left);
    } while (left && *left && left != before);
    if (left)
        status = put(out.s, out.len);
    free(out.s);
    return status;
}

static int do_true(struct shell *sh, int argc, char **argv)
{
    (void)sh;
    (void)argc;
    (void)argv;
    return 0;
}

static int do_false(struct shell *sh, int argc, char **argv)
{
    (void)sh;
    (void)argc;
    (void)argv;
    return 1;
}

static int builtin_test(struct shell *sh, int argc, char **argv)
{
    (void)sh;
    return do_test(argc, argv);
}

static int do_cd(struct shell *sh, int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "/";
    int err = chdir(path);

    (void)sh;
    return err ? complain("cd", path, err) : 0;
}

static int do_pwd(struct shell *sh, int argc, char **argv)
{
    char *path = shell_alloc(PATH_MAX);
    long len = syscall(__NR_getcwd, path, PATH_MAX);
    int status = len > 0 ? put_line(path) : complain("pwd", ".", len);

    (void)sh;
    (void)argc;
    (void)argv;
    free(path);
    return status;
}

/* ---- leaving ---- */

static int leave(struct shell *sh, int argc, char **argv, enum leaving how)
{
    unsigned long status = sh->status;

    if (argc > 1 && kstrtoul(argv[1], 10, &status)) {
        shell_error("%s: %s: not a number", argv[0], argv[1]);
        status = STATUS_USAGE;
    }
    sh->leaving = how;
    return status & 0xff;
}

static int do_exit_shell(struct shell *sh, int argc, char **argv)
{
    return leave(sh, argc, argv, LEAVE_EXIT);
}

static int do_return(struct shell *sh, int argc, char **argv)
{
    return leave(sh, argc, argv, LEAVE_RETURN);
}

static int leave_loop(struct shell *sh, int argc, char **argv, enum leaving how)
{
    unsigned long count = 1;

    if (argc > 1 && (kstrtoul(argv[1], 10, &count) || !count)) {
        shell_error("%s: %s: not a number", argv[0], argv[1]);
        return STATUS_USAGE;
    }
    sh->leaving = how;
    sh->leave_count = count;
    return 0;
}

static int do_break(struct shell *sh, int argc, char **argv)
{
    return leave_loop(sh, argc, argv, LEAVE_BREAK);
}

static int do_continue(struct shell *sh, int argc, char **argv)
{
    return leave_loop(sh, argc, argv, LEAVE_CONTINUE);
}

/* ---- variables and arguments ---- */

static int do_set(struct shell *sh, int argc, char **argv)
{
    const struct variable *v;
    struct options o = {.argv = argv + 1};
    int c;

    if (argc == 1) {
        for (v = sh->vars; v; v = v->next)
            if (v->value && putf("%s='%s'\n", v->name, v->value))
                return STATUS_ERROR;
        return 0;
    }
    for (; *o.argv && ((*o.argv)[0] == '+' || (*o.argv)[0] == '-'); o.argv++) {
        bool on = (*o.argv)[0] == '-';

        for (c = 1; (*o.argv)[c]; c++) {
            if ((*o.argv)[c] == 'e')
                sh->exit_on_error = on;
            else if ((*o.argv)[c] == 'x')
                sh->trace_commands = on;
            else if ((*o.argv)[c] != '-')
                return usage_error(argv);
        }
        if (!strcmp(*o.argv, "--")) {
            shell_set_args(sh, o.argv + 1);
            return 0;
        }
    }
    if (*o.argv)
        shell_set_args(sh, o.argv);
    return 0;
}

static int do_shift(struct shell *sh, int argc, char **argv)
{
    struct strings rest = {NULL, 0, 0};
    unsigned long n = 1, i;

    if (argc > 1 && kstrtoul(argv[1], 10, &n))
        return usage_error(argv);
    for (i = 0; i < n; i++)
        if (!sh->args || !sh->args[i])
            return STATUS_ERROR;
    for (; sh->args && sh->args[i]; i++)
        strings_add(&rest, shell_strdup(sh->args[i]));
    shell_set_args(sh, rest.v);
    strings_free(&rest);
    return 0;
}

static int do_export(struct shell *sh, int argc, char **argv)
{
    int i;

    for (i = 1; i < argc; i++) {
        size_t len = name_length(argv[i]);
        bool has_value = argv[i][len] == '=';

        if (!len || (argv[i][len] && !has_value)) {
            shell_error("export: %s: bad variable name", argv[i]);
            return STATUS_ERROR;
        }
        argv[i][len] = 0;
        if (has_value)
            shell_setvar(sh, argv[i], argv[i] + len + 1);
        shell_export(sh, argv[i]);
    }
    return 0;
}

static int do_unset(struct shell *sh, int argc, char **argv)
{
    int i;

    for (i = 1; i < argc; i++)
        shell_unsetvar(sh, argv[i]);
    return 0;
}

/* Reads byte by byte, so that input after the line stays for the next reader. */
static int read_one_line(struct strbuf *line)
{
    ssize_t n;
    char c = 0;

    while ((n = read(0, &c, 1)) == 1 && c != '\n')
        strbuf_addc(line, c);
    return n == 1 ? 0 : STATUS_ERROR;
}

static char *cut_field(char **rest, bool last)
{
    char *field = *rest, *end;

    while (*field == ' ' || *field == '\t')
        field++;
    if (last) {
        *rest = field + strlen(field);
        return strstrip(field);
    }
    for (end = field; *end && *end != ' ' && *end != '\t';)
        end++;
    *rest = *end ? end + 1 : end;
    *end = 0;
    return field;
}

static int do_read(struct shell *sh, int argc, char **argv)
{
    struct strbuf line = {NULL, 0, 0};
    int first = argc > 1 && !strcmp(argv[1], "-r") ? 2 : 1, i;
    int status = read_one_line(&line);
    char *text = strbuf_detach(&line), *rest = text;

    for (i = first; i < argc; i++)
        shell_setvar(sh, argv[i], cut_field(&rest, i + 1 == argc));
    if (first == argc)
        shell_setvar(sh, "REPLY", text);
    free(text);
    return status;
}

/* ---- running ---- */

static int do_eval(struct shell *sh, int argc, char **argv)
{
    struct strbuf text = {NULL, 0, 0};
    char *command;
    int i;

    for (i = 1; i < argc; i++) {
        strbuf_adds(&text, argv[i]);
        strbuf_addc(&text, ' ');
    }
    command = strbuf_detach(&text);
    run_text(sh, command);
    free(command);
    return sh->status;
}

static int do_source(struct shell *sh, int argc, char **argv)
{
    if (argc < 2)
        return usage_error(argv);
    run_script_file(sh, argv[1]);
    if (sh->leaving == LEAVE_RETURN)
        sh->leaving = LEAVE_NOT;
    return sh->status;
}

/*
 * Without a command, the redirections of `exec` stay in effect; else the command replaces the
 * shell.
 */
static int do_exec(struct shell *sh, int argc, char **argv)
{
    if (argc == 1)
        return 0;
    sh->leaving = LEAVE_EXIT;
    return run_command(sh, argv + 1, true);
}

static int do_sh(struct shell *sh, int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "-c"))
        return run_shell_command(sh, argv[2], argv + 3);
    if (argc < 2)
        return run_shell_input(sh, argv);
    return run_shell_script(sh, argv[1], argv + 1);
}

static int do_wait(struct shell *sh, int argc, char **argv)
{
    unsigned long pid;
    int i, status = 0;

    if (argc == 1)
        wait_for_jobs(sh);
    for (i = 1; i < argc; i++) {
        if (kstrtoul(argv[i], 10, &pid))
            return usage_error(argv);
        status = wait_for_job(sh, pid);
    }
    return status;
}

static int signal_number(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},
                   {"KILL", SIGKILL}, {"PIPE", SIGPIPE}, {"TERM", SIGTERM},
                   {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"CONT", SIGCONT}};
    unsigned long number;
    unsigned int i;

    if (!kstrtoul(name, 10, &number))
        return number <= 64 ? (int)number : -1;
    if (!strncmp(name, "SIG", 3))
        name += 3;
    for (i = 0; i < ARRAY_SIZE(signals); i++)
        if (!strcmp(signals[i].name, name))
            return signals[i].number;
    return -1;
}

static int kill_one(struct shell *sh, const char *word, int sig)
{
    bool group = *word == '-' || *word == '%';
    unsigned long pid = *word == '%' ? job_group(sh, word) : 0;
    int err = pid ? 0 : kstrtoul(word + group, 10, &pid);

    if (*word == '%' && !pid)
        return STATUS_ERROR;
    if (!err)
        err = kill(group ? -(pid_t)pid : (pid_t)pid, sig);
    return err ? complain("kill", word, err) : 0;
}

static int do_kill(struct shell *sh, int argc, char **argv)
{
    int sig = SIGTERM, status = 0;
    char **word = argv + 1;

    if (argc > 1 && argv[1][0] == '-') {
        sig = signal_number(argv[1] + 1);
        word++;
    }
    if (sig < 0 || !*word)
        return usage_error(argv);
    for (; *word; word++)
        status = kill_one(sh, *word, sig) ? STATUS_ERROR : status;
    return status;
}

const struct applet builtin_applets[] = {
    {":", "", .builtin = do_true},
    {"[", "EXPRESSION ]", .builtin = builtin_test},
    {".", "FILE", .builtin = do_source},
    {"bg", "[%JOB]", .builtin = do_bg},
    {"break", "[LEVELS]", .builtin = do_break},
    {"cd", "[DIRECTORY]", .builtin = do_cd},
    {"continue", "[LEVELS]", .builtin = do_continue},
    {"echo", "[-n] WORDS...", .builtin = do_echo},
    {"eval", "WORDS...", .builtin = do_eval},
    {"exec", "[PROGRAM WORDS...]", .builtin = do_exec},
    {"exit", "[STATUS]", .builtin = do_exit_shell},
    {"export", "NAME[=VALUE]...", .builtin = do_export},
    {"false", "", .builtin = do_false},
    {"fg", "[%JOB]", .builtin = do_fg},
    {"jobs", "", .builtin = do_jobs},
    {"kill", "[-SIGNAL] PID... | %JOB", .builtin = do_kill},
    {"printf", "FORMAT WORDS...", .builtin = do_printf},
    {"pwd", "", .builtin = do_pwd},
    {"read", "[-r] NAME...", .builtin = do_read},
    {"return", "[STATUS]", .builtin = do_return},
    {"set", "[-ex] [--] WORDS...", .builtin = do_set},
    {"sh", "[FILE WORDS... | -c COMMAND [NAME WORDS...]]", .builtin = do_sh},
    {"shift", "[N]", .builtin = do_shift},
    {"test", "EXPRESSION", .builtin = builtin_test},
    {"true", "", .builtin = do_true},
    {"unset", "NAME...", .builtin = do_unset},
    {"wait", "[PID...]", .builtin = do_wait},
    {NULL, NULL, NULL, NULL},
};
