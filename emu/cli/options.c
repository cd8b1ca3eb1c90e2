/*
 * options.c - see options.h; argp over the rows of options.def.
 */
#include "cli/options.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <revision.h> /* the build makes this one and version.h: mk/emu.mk */
#include <stdlib.h>
#include <string.h>
#include <version.h>
#include <zstd.h>

#include "base/arguments.h"
#include "base/escape.h"
#include "cli/saved_run.h"
#include "cpu/extension.h"
#include "machine/snapshot_file.h"

/* ---- values ---- */

/* A number with an optional suffix K, M, G that multiplies by unit, unit^2, unit^3. */
static bool parse_number(const char *text, uint64_t unit, uint64_t *value)
{
    static const char suffixes[] = "KMG";
    char *end;
    unsigned long long n;
    const char *suffix;
    uint64_t scale = 1;

    errno = 0;
    n = strtoull(text, &end, 0);
    if (errno || text[0] < '0' || text[0] > '9') /* no blanks, no sign */
        return false;
    if (*end) {
        suffix = strchr(suffixes, *end >= 'a' ? *end - 'a' + 'A' : *end);
        if (!suffix || end[1])
            return false;
        for (const char *s = suffixes; s <= suffix; s++)
            scale *= unit;
    }
    *value = n * scale;
    return *value / scale == n;
}

struct word {
    const char *text;
    int value;
};

static bool parse_word(const char *text, const struct word *words, int *value)
{
    for (; words->text; words++)
        if (!strcmp(words->text, text)) {
            *value = words->value;
            return true;
        }
    return false;
}

static const char *word_for(const struct word *words, int value)
{
    while (words->text && words->value != value)
        words++;
    return words->text;
}

static const struct word firmware_words[] = {{"auto", FIRMWARE_AUTO},
                                             {"none", FIRMWARE_NONE},
                                             {"builtin", FIRMWARE_BUILTIN},
                                             {"file", FIRMWARE_FILE},
                                             {NULL, 0}};
static const struct word fetch_words[] = {
    {"stale", FETCH_STALE}, {"coherent", FETCH_COHERENT}, {"random", FETCH_RANDOM}, {NULL, 0}};
static const struct word timing_words[] = {
    {"inorder", TIMING_INORDER}, {"unit", TIMING_UNIT}, {NULL, 0}};
static const struct word audit_words[] = {
    {"off", AUDIT_OFF}, {"warn", AUDIT_WARN}, {"fail", AUDIT_FAIL}, {NULL, 0}};
static const struct word switch_words[] = {{"off", 0}, {"on", 1}, {NULL, 0}};

/* ---- setters, one for each option; false: the argument is invalid ---- */

static bool set_harts(struct options *o, const char *arg)
{
    uint64_t n;

    if (!parse_number(arg, 1000, &n) || n < 1 || n > HARTS_MAX)
        return false;
    o->harts = (unsigned)n;
    return true;
}

static_assert((int)OPTION_PROBLEM_MAX >= (int)EXT_TEXT_MAX, "extensions_parse writes there");

static bool set_isa(struct options *o, const char *arg)
{
    return extensions_parse(arg, &o->extensions, o->problem);
}

static bool set_memory(struct options *o, const char *arg)
{
    return parse_number(arg, 1024, &o->memory) && o->memory % 4096 == 0 &&
           o->memory >= (UINT64_C(4) << 20) && o->memory <= (UINT64_C(64) << 30);
}

static bool set_firmware(struct options *o, const char *arg)
{
    int kind = FIRMWARE_FILE;

    if (!parse_word(arg, firmware_words, &kind) || kind == FIRMWARE_FILE) {
        kind = FIRMWARE_FILE;
        o->firmware_path = arg;
    }
    o->firmware = (enum firmware_kind)kind;
    return arg[0] != '\0';
}

static bool set_initrd(struct options *o, const char *arg)
{
    o->initrd = arg;
    return *arg != '\0';
}

static bool set_drive(struct options *o, const char *arg)
{
    static const struct word modes[] = {
        {"readonly", DRIVE_READ_ONLY}, {"snapshot", DRIVE_SNAPSHOT}, {NULL, 0}};
    struct machine_drive *drive = &o->drives[o->drive_count];
    const char *comma = strrchr(arg, ',');
    int mode = DRIVE_WRITABLE;
    size_t len = strlen(arg);

    if (comma && parse_word(comma + 1, modes, &mode))
        len = (size_t)(comma - arg);
    if (o->drive_count == MACHINE_DRIVES_MAX)
        snprintf(o->problem, sizeof o->problem, "at most %d drives", MACHINE_DRIVES_MAX);
    if (o->drive_count == MACHINE_DRIVES_MAX || !len || len >= sizeof drive->path)
        return false;
    drive->mode = (enum drive_mode)mode;
    memcpy(drive->path, arg, len);
    o->drive_count++;
    return true;
}

static bool set_port(struct options *o, const char *arg)
{
    struct machine_port *port = &o->ports[o->port_count];
    const char *path = strchr(arg, '=');
    size_t len = path ? (size_t)(path++ - arg) : 0;

    if (o->port_count == MACHINE_PORTS_MAX)
        snprintf(o->problem, sizeof o->problem, "at most %d ports", MACHINE_PORTS_MAX);
    if (o->port_count == MACHINE_PORTS_MAX || !len || len >= sizeof port->name || !*path ||
        strlen(path) >= sizeof port->path)
        return false;
    memcpy(port->name, arg, len);
    memcpy(port->path, path, strlen(path));
    o->port_count++;
    return true;
}

static bool set_device_log(struct options *o, const char *arg)
{
    o->device_log = arg;
    return *arg != '\0';
}

static bool set_virtio_console(struct options *o, const char *arg)
{
    (void)arg;
    o->virtio_console = true;
    return true;
}

static bool set_append(struct options *o, const char *arg)
{
    o->append = arg;
    return true;
}

static bool set_console(struct options *o, const char *arg)
{
    o->console = arg;
    return arg[0] != '\0';
}

static bool set_input(struct options *o, const char *arg)
{
    o->input = arg;
    return *arg != '\0';
}

static bool set_record(struct options *o, const char *arg)
{
    o->record = arg;
    return *arg != '\0';
}

static bool set_replay(struct options *o, const char *arg)
{
    o->replay = arg;
    return *arg != '\0';
}

static bool set_schedule(struct options *o, const char *arg)
{
    o->schedule = arg;
    return *arg != '\0';
}

static bool set_save(struct options *o, const char *arg)
{
    o->save = arg;
    return *arg != '\0';
}

static bool set_save_at(struct options *o, const char *arg)
{
    return parse_number(arg, 1000, &o->save_at);
}

static bool set_restore(struct options *o, const char *arg)
{
    o->restore = arg;
    return *arg != '\0';
}

static bool set_max_insns(struct options *o, const char *arg)
{
    return parse_number(arg, 1000, &o->max_insns);
}

static bool set_max_cycles(struct options *o, const char *arg)
{
    return parse_number(arg, 1000, &o->max_cycles);
}

static bool set_timeout(struct options *o, const char *arg)
{
    char *end;

    o->timeout = strtod(arg, &end);
    return end != arg && !*end && isfinite(o->timeout) && o->timeout > 0 && o->timeout < 1e9;
}

static bool set_seed(struct options *o, const char *arg)
{
    return parse_number(arg, 1000, &o->seed);
}

static bool set_timing(struct options *o, const char *arg)
{
    int model;

    if (!parse_word(arg, timing_words, &model)) {
        model = TIMING_CORE; /* whether there is one is seen when it is read */
        o->core = arg;
    }
    o->timing = (enum timing_model)model;
    return *arg != '\0';
}

static bool set_fetch(struct options *o, const char *arg)
{
    int mode;

    if (!strncmp(arg, "random:", 7)) {
        o->fetch = FETCH_RANDOM;
        return parse_number(arg + 7, 1000, &o->fetch_seed);
    }
    if (!parse_word(arg, fetch_words, &mode))
        return false;
    o->fetch = (enum fetch_mode)mode;
    return mode != FETCH_RANDOM; /* without its seed a random run could not be repeated */
}

static bool set_audit(struct options *o, const char *arg)
{
    int mode;

    if (!parse_word(arg, audit_words, &mode))
        return false;
    o->audit = (enum audit_mode)mode;
    return true;
}

static bool set_findings(struct options *o, const char *arg)
{
    static const struct word words[] = {
        {"auto", FINDINGS_AUTO}, {"full", FINDINGS_FULL}, {"brief", FINDINGS_BRIEF}, {NULL, 0}};
    int style;

    if (!parse_word(arg, words, &style))
        return false;
    o->findings = (enum findings_style)style;
    return true;
}

static bool set_allow(struct options *o, const char *arg)
{
    if (o->allow_count == OPTION_ALLOW_MAX) {
        snprintf(o->problem, sizeof o->problem, "at most %d; a baseline may have more",
                 OPTION_ALLOW_MAX);
        return false;
    }
    o->allow[o->allow_count++] = arg;
    return *arg != '\0';
}

static bool set_baseline(struct options *o, const char *arg)
{
    o->baseline = arg;
    return *arg != '\0';
}

static bool set_write_baseline(struct options *o, const char *arg)
{
    o->write_baseline = arg;
    return *arg != '\0';
}

static bool set_sarif(struct options *o, const char *arg)
{
    o->sarif = arg;
    return *arg != '\0';
}

static bool set_junit(struct options *o, const char *arg)
{
    o->junit = arg;
    return *arg != '\0';
}

/* A number from 1 to max. */
static bool parse_limit(const char *arg, uint64_t max, size_t *limit)
{
    uint64_t n;

    if (!parse_number(arg, 1000, &n) || n < 1 || n > max)
        return false;
    *limit = (size_t)n;
    return true;
}

static bool set_findings_max(struct options *o, const char *arg)
{
    return parse_limit(arg, 1000 * 1000, &o->findings_max);
}

static bool set_patches_max(struct options *o, const char *arg)
{
    return parse_limit(arg, 100 * 1000 * 1000, &o->patches_max);
}

static bool set_updates_max(struct options *o, const char *arg)
{
    return parse_limit(arg, 100 * 1000 * 1000, &o->updates_max);
}

static bool set_code_writes_max(struct options *o, const char *arg)
{
    return parse_limit(arg, 100 * 1000 * 1000, &o->code_writes_max);
}

static bool set_page_copies_max(struct options *o, const char *arg)
{
    return parse_limit(arg, 10 * 1000 * 1000, &o->page_copies_max);
}

static bool set_old_code_max(struct options *o, const char *arg)
{
    return parse_limit(arg, 64, &o->old_code_max);
}

static bool set_account(struct options *o, const char *arg)
{
    int on;

    if (!parse_word(arg, switch_words, &on))
        return false;
    o->account = on;
    return true;
}

static bool set_report(struct options *o, const char *arg)
{
    o->report = arg;
    return *arg != '\0';
}

static bool set_trace(struct options *o, const char *arg)
{
    o->trace = arg;
    return *arg != '\0';
}

static bool set_trace_calls(struct options *o, const char *arg)
{
    static const struct word words[] = {{"all", 0}, {"on", 1}, {"none", 2}, {NULL, 0}};
    int which = 0;

    if (!parse_word(arg, words, &which))
        return false;
    o->trace_on_only = which == 1;
    o->trace_none = which == 2;
    return true;
}

static bool set_view(struct options *o, const char *arg)
{
    (void)arg;
    o->view = true;
    return true;
}

static bool set_html(struct options *o, const char *arg)
{
    o->html = arg;
    return *arg != '\0';
}

static bool set_rings(struct options *o, const char *arg)
{
    o->rings = arg;
    return *arg != '\0';
}

static bool set_log(struct options *o, const char *arg)
{
    o->log = arg;
    return *arg != '\0';
}

static bool set_rows(struct options *o, const char *arg)
{
    uint64_t n;

    if (!parse_number(arg, 1000, &n) || n > UINT32_MAX)
        return false;
    o->rows = (unsigned)n;
    return true;
}

static bool set_symbols(struct options *o, const char *arg)
{
    o->symbols = arg;
    return *arg != '\0';
}

static bool set_history_max(struct options *o, const char *arg)
{
    return parse_number(arg, 1024, &o->history_max);
}

static bool set_commands(struct options *o, const char *arg)
{
    o->commands = arg;
    return *arg != '\0';
}

static bool set_gdb(struct options *o, const char *arg)
{
    o->gdb = arg;
    return *arg != '\0';
}

static bool parse_count(const char *arg, uint64_t max, unsigned *count)
{
    uint64_t n;

    if (!parse_number(arg, 1000, &n) || n < 1 || n > max)
        return false;
    *count = (unsigned)n;
    return true;
}

static bool set_jobs(struct options *o, const char *arg)
{
    return parse_count(arg, 1024, &o->jobs);
}

static bool set_steps(struct options *o, const char *arg)
{
    return parse_count(arg, 16, &o->steps);
}

static bool set_interleavings(struct options *o, const char *arg)
{
    return parse_number(arg, 1000, &o->interleavings) && o->interleavings;
}

static bool set_update(struct options *o, const char *arg)
{
    return parse_count(arg, 1000 * 1000, &o->update);
}

static bool set_schedules(struct options *o, const char *arg)
{
    o->schedules = arg;
    return *arg != '\0';
}

static bool set_dump_dtb(struct options *o, const char *arg)
{
    o->dump_dtb = arg;
    return *arg != '\0';
}

static bool set_batch(struct options *o, const char *arg)
{
    (void)arg;
    o->batch = true;
    return true;
}

static bool set_quiet(struct options *o, const char *arg)
{
    (void)arg;
    o->quiet = true;
    return true;
}

/* ---- the table in argp's format ---- */

enum { KEY_BASE = 1000, KEY_HELP };

static const struct option_row {
    const char *name;
    int short_key;
    const char *arg, *commands, *expected, *doc;
    bool (*set)(struct options *o, const char *arg);
} rows[] = {
#define OPT(id, name, short_key, arg, commands, expected, doc) \
    {name, short_key, arg, commands, expected, doc, set_##id},
#include "cli/options.def"
#undef OPT
};

static const char *const command_names[] = {"run", "debug", "explore"};
static const char command_letters[] = "rde";

struct parse {
    const struct diag *diag;
    struct options *options;
    bool given[ARRAY_LEN(rows)];
    bool done;
    enum exit_status status;
    char name[sizeof "rvftrace"]; /* for argp, whose type is not const */
};

static error_t refuse(struct parse *p)
{
    p->status = EXIT_USAGE;
    return EINVAL;
}

/* Warns of a repeated option, whose last value is used. Some may be repeated. */
static void note_repetition(struct parse *p, unsigned row, const char *arg)
{
    if (p->given[row] && arg && rows[row].set != set_drive && rows[row].set != set_port &&
        rows[row].set != set_allow)
        diag_warn(p->diag, "--%s is given more than once; using `%s'", rows[row].name, arg);
    p->given[row] = true;
}

/* For a snapshot of the run: the last value of an option, and each drive and port. */
static void note_saved(struct options *o, const struct option_row *row, const char *arg)
{
    bool adds = row->set == set_drive || row->set == set_port;
    unsigned i = 0;

    if (!strchr(row->commands, 's'))
        return;
    while (!adds && i < o->saved_count && o->saved[i].name != row->name)
        i++;
    if (adds)
        i = o->saved_count;
    assert(i < OPTION_SAVED_MAX);
    o->saved[i] = (struct saved_option){row->name, arg};
    o->saved_count += i == o->saved_count;
}

static error_t parse_option(struct parse *p, unsigned row, char *arg)
{
    bool own_message;

    if (!strchr(rows[row].commands, command_letters[p->options->command])) {
        diag_error(p->diag, "--%s is not an option of `rvftrace %s'; see rvftrace %s --help",
                   rows[row].name, command_names[p->options->command],
                   command_names[p->options->command]);
        return refuse(p);
    }
    if (rows[row].set(p->options, arg)) {
        note_repetition(p, row, arg);
        note_saved(p->options, &rows[row], arg);
        return 0;
    }
    own_message = p->options->problem[0];
    diag_error(p->diag, "--%s: invalid value `%s': %s%s", rows[row].name, arg,
               own_message ? "" : "expected ",
               own_message ? p->options->problem : rows[row].expected);
    return refuse(p);
}

/* `command`: its name, or both. */
static void show_help(const struct argp *argp, const char *command)
{
    char usage_begins[32];

    snprintf(usage_begins, sizeof usage_begins, "rvftrace %s", command);
    arguments_show_help(argp, usage_begins);
}

const char *options_revision(void)
{
    static const char revision[] = RVFTRACE_REVISION;

    return revision[0] ? revision : NULL;
}

const char *options_version(void)
{
    return RVFTRACE_VERSION;
}

static void show_version(void)
{
    const char *revision = options_revision();
    char isa[EXT_TEXT_MAX];

    printf("rvftrace %s%s%s%s\n", RVFTRACE_VERSION, revision ? " (" : "", revision ? revision : "",
           revision ? ")" : "");
    extensions_format(EXTS_ALL, isa);
    printf("isa %s\njansson %s, zstd %s, compiled by gcc %s\n", isa, jansson_version_str(),
           ZSTD_versionString(), __VERSION__);
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
    struct parse *p = state->input;

    if (key >= KEY_BASE && key < KEY_BASE + (int)ARRAY_LEN(rows))
        return parse_option(p, (unsigned)(key - KEY_BASE), arg);
    for (unsigned i = 0; key && i < ARRAY_LEN(rows); i++)
        if (rows[i].short_key == key)
            return parse_option(p, i, arg);
    switch (key) {
    case ARGP_KEY_INIT:
        state->name = p->name;
        state->err_stream = NULL; /* getopt has printed its line */
        return 0;
    case '?':
        p->done = true;
        show_help(state->root_argp, command_names[p->options->command]);
        return ECANCELED; /* stops parsing */
    case 'V':
        p->done = true;
        show_version();
        return ECANCELED;
    case ARGP_KEY_ARG:
        if (p->options->image) {
            diag_error(p->diag, "more than one image: `%s' and `%s'", p->options->image, arg);
            return refuse(p);
        }
        if (!*arg) {
            diag_error(p->diag, "the image's name is empty; give a file");
            return refuse(p);
        }
        p->options->image = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char intro[] =
    "Runs a RISC-V kernel image on an emulated virt board that understands ftrace: it models "
    "instruction fetch that stays stale until fence.i, reports missing fences with evidence, and "
    "counts the cycles of every patch site.\v"
    "Commands: `run IMAGE' boots the image and prints a report at the end; `debug IMAGE' starts "
    "the debugger; `explore IMAGE' tries the interleavings of the harts around each change of "
    "code; "
    "`report FILE...' shows the reports of finished runs as tables (rvftrace report "
    "--help); `log FILE' shows and converts what --log has recorded (rvftrace log --help); `view "
    "LOG' shows it in a window; "
    "`cores' lists the core models of --timing. At a terminal Ctrl-A x ends the run and "
    "Ctrl-A h lists the other "
    "keys.\n\n" OPTIONS_NUMBERS "\n\n"
    "The console goes to standard output, everything else to standard error. Exit status: the "
    "guest's own; 64 usage, 65 bad file, 66 no such file, 70 our fault, 74 I/O error, 75 limit "
    "reached, 76 the guest cannot go on, 80 the audit failed, 128+N ended by signal N.";

/* The order in --help: options of several commands, then those of one, under a heading. */
enum group { GROUP_BOTH = 1, GROUP_RUN, GROUP_DEBUG, GROUP_EXPLORE };

static const struct argp_option headings[] = {
    {.doc = "Only for `rvftrace run':", .group = GROUP_RUN},
    {.doc = "Only for `rvftrace debug':", .group = GROUP_DEBUG},
    {.doc = "Only for `rvftrace explore':", .group = GROUP_EXPLORE},
};

enum { MORE_OPTIONS = ARRAY_LEN(headings) + 2 /* help, version */ };

static enum group group_of(const struct option_row *row)
{
    switch (row->commands[0]) {
    case 'r': return strchr(row->commands, 'd') ? GROUP_BOTH : GROUP_RUN;
    case 'd': return GROUP_DEBUG;
    default: return GROUP_EXPLORE;
    }
}

/* Shows only the options of these commands in the help; the others are parsed, too. */
static void fill_options(struct argp_option *options, const char *letters)
{
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        *options++ =
            (struct argp_option){.name = rows[i].name,
                                 .key = rows[i].short_key ? rows[i].short_key : KEY_BASE + (int)i,
                                 .arg = rows[i].arg,
                                 .flags = strpbrk(rows[i].commands, letters) ? 0 : OPTION_HIDDEN,
                                 .doc = rows[i].doc,
                                 .group = (int)group_of(&rows[i])};
    for (unsigned i = 0; letters[1] && i < ARRAY_LEN(headings); i++)
        *options++ = headings[i];
    *options++ = (struct argp_option){
        .name = "help", .key = '?', .doc = "Print this and exit.", .group = -1};
    *options =
        (struct argp_option){.name = "version", .key = 'V', .doc = "Print the version and exit."};
}

/* The first word is the command. */
static bool take_command(char **argv, struct parse *p)
{
    for (unsigned i = 0; argv[1] && i < ARRAY_LEN(command_names); i++)
        if (!strcmp(argv[1], command_names[i])) {
            p->options->command = (enum command)i;
            return true;
        }
    if (argv[1])
        diag_error(
            p->diag,
            "no command `%s'; the commands are run, debug, explore, report, log and cores, see "
            "rvftrace --help",
            argv[1]);
    else
        diag_error(p->diag, "no command; try `rvftrace run IMAGE', or rvftrace --help");
    return false;
}

/* ---- options that a snapshot has ---- */

static const char *own(struct options *o, char *text)
{
    if (o->owned_count == ARRAY_LEN(o->owned)) {
        free(text);
        return NULL;
    }
    return o->owned[o->owned_count++] = text;
}

/* Takes `NAME [VALUE]' unless the option was given. False: it is no option of this rvftrace. */
static bool inherit_option(struct parse *p, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *arg = NULL;

    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        if (strlen(rows[i].name) != len || strncmp(rows[i].name, line, len) != 0)
            continue;
        if (!strchr(rows[i].commands, 's') || !rows[i].arg != !line[len])
            return false;
        if (p->given[i])
            return true;
        if (line[len])
            arg = own(p->options, unescape_text(line + len + 1));
        if ((line[len] && !arg) || p->options->saved_count == OPTION_SAVED_MAX ||
            !rows[i].set(p->options, arg))
            return false;
        note_saved(p->options, &rows[i], arg);
        return true;
    }
    return false;
}

static bool inherit_line(struct parse *p, const char *line)
{
    static const char image[] = "image ", option[] = "option ";
    struct options *o = p->options;

    if (!strncmp(line, option, strlen(option)))
        return inherit_option(p, line + strlen(option));
    if (!o->image && !strncmp(line, image, strlen(image)))
        o->image = own(o, unescape_text(line + strlen(image)));
    return true;
}

static enum exit_status inherit(struct parse *p)
{
    struct options *o = p->options;
    enum exit_status status = snapshot_file_open(o->restore, p->diag, &o->restored);
    const struct snapshot_lines *lines;

    if (status == EXIT_PASS)
        status = saved_run_check_build(o->restored, o->restore, p->diag);
    if (status != EXIT_PASS)
        return status;
    lines = snapshot_file_lines(o->restored);
    for (size_t i = 0; i < lines->count; i++)
        if (!inherit_line(p, lines->at[i])) {
            diag_error(p->diag, "%s: `%s' is no line of this rvftrace; save it again", o->restore,
                       lines->at[i]);
            return EXIT_BAD_FILE;
        }
    return EXIT_PASS;
}

void options_free(struct options *o)
{
    snapshot_file_close(o->restored);
    o->restored = NULL;
    while (o->owned_count)
        free(o->owned[--o->owned_count]);
}

static const struct options defaults = {
    .harts = 1,
    .memory = UINT64_C(256) << 20,
    .console = "stdio",
    .history_max = UINT64_C(256) << 20,
    .max_insns = UINT64_MAX,
    .max_cycles = UINT64_MAX,
    .save_at = UINT64_MAX,
    .seed = 1,
    .timing = TIMING_INORDER,
    .fetch = FETCH_STALE,
    .audit = AUDIT_WARN,
    .account = true,
    .rows = 20,
    .findings_max = 100,
    .patches_max = 100000,
    .updates_max = 10000,
    .code_writes_max = 1 << 16,
    .page_copies_max = 1 << 12,
    .old_code_max = 3,
    .steps = 2,
    .interleavings = 500,
    .schedules = "explore",
};

static bool is_early(const char *word, const char *name, const char *short_name)
{
    return word && (!strcmp(word, name) || !strcmp(word, short_name));
}

/* `cores [NAME]'. */
static enum exit_status parse_cores(int argc, char **argv, const struct diag *d, struct options *o)
{
    o->command = COMMAND_CORES;
    o->image = argc > 2 ? argv[2] : NULL;
    if (argc <= 3 && !(o->image && o->image[0] == '-'))
        return EXIT_PASS;
    diag_error(d, "usage: rvftrace cores [NAME|FILE]");
    return EXIT_USAGE;
}

/* The options about findings need them, and a baseline all of them. */
static bool check_audit_options(const struct options *o, const struct diag *d)
{
    const struct {
        bool given;
        const char *name;
    } needs[] = {{o->allow_count != 0, "allow"},
                 {o->baseline, "baseline"},
                 {o->write_baseline, "write-baseline"},
                 {o->sarif, "sarif"},
                 {o->junit, "junit"}};

    for (unsigned i = 0; i < ARRAY_LEN(needs); i++)
        if (needs[i].given && o->audit == AUDIT_OFF) {
            diag_error(d, "--%s needs the auditor; leave out --audit=off", needs[i].name);
            return false;
        }
    if (o->write_baseline && o->audit == AUDIT_FAIL) {
        diag_error(d, "--write-baseline needs all findings, and --audit=fail stops at the first; "
                      "use --audit=warn");
        return false;
    }
    return true;
}

/* Interleavings are runs of their own, which must leave no trace, and the auditor judges them. */
static bool check_explore(struct options *o, const struct diag *d)
{
    for (unsigned i = 0; i < o->drive_count; i++)
        if (o->drives[i].mode == DRIVE_WRITABLE) {
            diag_error(d, "--drive %s: each interleaving would write to it; add `,snapshot'",
                       o->drives[i].path);
            return false;
        }
    if (o->audit == AUDIT_OFF) {
        diag_error(d, "explore needs the auditor; leave out --audit=off");
        return false;
    }
    if (!strcmp(o->console, "stdio"))
        o->console = "none";
    return true;
}

enum exit_status options_parse(int argc, char **argv, const struct diag *d, struct options *o,
                               bool *done)
{
    struct argp_option options[ARRAY_LEN(rows) + MORE_OPTIONS + 1] = {0};
    char letter[2] = {0};
    struct argp argp = {options, parse_key, "IMAGE", intro, NULL, NULL, NULL};
    struct parse p = {.diag = d, .options = o, .name = "rvftrace"};
    char program_name[] = "rvftrace: error"; /* getopt begins its messages with argv[0] */
    char batch[] = "--batch";
    error_t error;

    *o = defaults;
    *done = false;
    if (is_early(argv[1], "--version", "-V")) {
        show_version();
        *done = true;
        return EXIT_PASS;
    }
    if (is_early(argv[1], "--help", "-?")) {
        fill_options(options, command_letters);
        show_help(&argp, "run|debug|explore");
        *done = true;
        return EXIT_PASS;
    }
    if (argv[1] && !strcmp(argv[1], "cores"))
        return parse_cores(argc, argv, d, o);
    if (!take_command(argv, &p))
        return EXIT_USAGE;
    letter[0] = command_letters[o->command];
    fill_options(options, letter);
    argv[1] = program_name;
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "-batch")) /* gdb's way to write it */
            argv[i] = batch;
    error = argp_parse(&argp, argc - 1, argv + 1, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &p);
    argv[1] = argv[0];
    *done = p.done;
    if (p.done)
        return EXIT_PASS;
    if (error || p.status)
        return EXIT_USAGE;
    if (o->restore) {
        enum exit_status status = inherit(&p);

        if (status != EXIT_PASS)
            return status;
    }
    if (!o->image) {
        diag_error(d, "no image; try `rvftrace %s IMAGE'", command_names[o->command]);
        return EXIT_USAGE;
    }
    if (!check_audit_options(o, d))
        return EXIT_USAGE;
    if (o->command == COMMAND_EXPLORE && !check_explore(o, d))
        return EXIT_USAGE;
    if (o->port_count && o->drive_count == MACHINE_DRIVES_MAX) {
        diag_error(d, "--port takes the place of the last --drive: give at most %d drives",
                   MACHINE_DRIVES_MAX - 1);
        return EXIT_USAGE;
    }
    if (o->gdb && o->commands) {
        diag_error(d, "--gdb gives the machine to gdb; leave out --commands");
        return EXIT_USAGE;
    }
    if (o->replay && o->input) {
        diag_error(d, "--replay supplies the input; leave out --input");
        return EXIT_USAGE;
    }
    if (o->view && !o->log) {
        diag_error(d, "--view shows the log: give --log FILE, too");
        return EXIT_USAGE;
    }
    if (o->html && !o->account) {
        diag_error(d, "--html shows the costs of sites: leave out --account=off");
        return EXIT_USAGE;
    }
    if (o->html && o->log && !strcmp(o->log, "-")) {
        diag_error(d, "--html reads the log at the end: give --log a file");
        return EXIT_USAGE;
    }
    if (o->save_at != UINT64_MAX && !o->save) {
        diag_error(d, "--save-at needs a file: give --save FILE");
        return EXIT_USAGE;
    }
    if (o->save_at != UINT64_MAX && o->gdb) {
        diag_error(d, "--gdb gives the machine to gdb; leave out --save-at (gdb's `monitor save')");
        return EXIT_USAGE;
    }
    return EXIT_PASS;
}

const char *options_firmware_name(enum firmware_kind kind)
{
    return word_for(firmware_words, (int)kind);
}

const char *options_fetch_name(enum fetch_mode mode)
{
    return word_for(fetch_words, (int)mode);
}

const char *options_timing_name(const struct options *o)
{
    return o->timing == TIMING_CORE ? o->core : word_for(timing_words, (int)o->timing);
}
