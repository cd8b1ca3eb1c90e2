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

#include "base/alloc.h"
#include "base/arguments.h"
#include "base/escape.h"
#include "base/installed.h"
#include "base/nearest.h"
#include "base/option_value.h"
#include "cli/combinations.h"
#include "cli/saved_run.h"
#include "cli/select.h"
#include "cpu/isa/extension.h"
#include "machine/snapshot_file.h"

/* ---- options whose value is of a kind of its own; false: the text is invalid ---- */

static const struct option_word firmware_words[] = {{"auto", FIRMWARE_AUTO},
                                                    {"none", FIRMWARE_NONE},
                                                    {"builtin", FIRMWARE_BUILTIN},
                                                    {"file", FIRMWARE_FILE},
                                                    {NULL, 0}};
static const struct option_word fetch_words[] = {{"stale", FETCH_STALE},
                                                 {"coherent", FETCH_COHERENT},
                                                 {"random", FETCH_RANDOM},
                                                 {"any", FETCH_ANY},
                                                 {"ordered", FETCH_ORDERED},
                                                 {"apart", FETCH_APART},
                                                 {NULL, 0}};
static const struct option_word translate_words[] = {{"stale", TRANSLATE_STALE},
                                                     {"coherent", TRANSLATE_COHERENT},
                                                     {"random", TRANSLATE_RANDOM},
                                                     {"invalid", TRANSLATE_INVALID},
                                                     {NULL, 0}};
static const struct option_word agnostic_words[] = {{"undisturbed", AGNOSTIC_STAYS},
                                                    {"ones", AGNOSTIC_ONES},
                                                    {"random", AGNOSTIC_RANDOM},
                                                    {NULL, 0}};
static const struct option_word stores_words[] = {
    {"prompt", STORES_PROMPT}, {"delayed", STORES_DELAYED}, {"random", STORES_RANDOM}, {NULL, 0}};
static const struct option_word timing_words[] = {
    {"inorder", TIMING_INORDER}, {"unit", TIMING_UNIT}, {NULL, 0}};

static const char *word_for(const struct option_word *words, int value)
{
    while (words->text && words->value != value)
        words++;
    return words->text;
}

_Static_assert((int)OPTION_PROBLEM_MAX >= (int)EXT_TEXT_MAX, "extensions_parse writes there");

static bool set_isa(void *options, const char *text, char *problem)
{
    struct options *o = options;

    return extensions_parse(text, &o->machine.cluster.extensions, problem);
}

static bool set_firmware(void *options, const char *text, char *problem)
{
    struct machine_config *config = &((struct options *)options)->machine;
    int kind = FIRMWARE_FILE;

    (void)problem;
    if (!option_parse_word(text, firmware_words, &kind) || kind == FIRMWARE_FILE) {
        kind = FIRMWARE_FILE;
        config->firmware_path = text;
    }
    config->firmware = (enum firmware_kind)kind;
    return *text != '\0';
}

static bool set_drive(void *options, const char *text, char *problem)
{
    static const struct option_word modes[] = {
        {"readonly", DRIVE_READ_ONLY}, {"snapshot", DRIVE_SNAPSHOT}, {NULL, 0}};
    struct machine_config *config = &((struct options *)options)->machine;
    struct machine_drive *drive = &config->drives[config->drive_count];
    const char *comma = strrchr(text, ',');
    int mode = DRIVE_WRITABLE;
    size_t len = strlen(text);

    if (comma && option_parse_word(comma + 1, modes, &mode))
        len = (size_t)(comma - text);
    if (config->drive_count == MACHINE_DRIVES_MAX)
        snprintf(problem, OPTION_PROBLEM_MAX, "at most %d drives", MACHINE_DRIVES_MAX);
    if (config->drive_count == MACHINE_DRIVES_MAX || !len || len >= sizeof drive->path)
        return false;
    drive->mode = (enum drive_mode)mode;
    memcpy(drive->path, text, len);
    config->drive_count++;
    return true;
}

static bool set_port(void *options, const char *text, char *problem)
{
    struct machine_config *config = &((struct options *)options)->machine;
    struct machine_port *port = &config->ports[config->port_count];
    const char *path = strchr(text, '=');
    size_t len = path ? (size_t)(path++ - text) : 0;

    if (config->port_count == MACHINE_PORTS_MAX)
        snprintf(problem, OPTION_PROBLEM_MAX, "at most %d ports", MACHINE_PORTS_MAX);
    if (config->port_count == MACHINE_PORTS_MAX || !len || len >= sizeof port->name || !*path ||
        strlen(path) >= sizeof port->path)
        return false;
    memcpy(port->name, text, len);
    memcpy(port->path, path, strlen(path));
    config->port_count++;
    return true;
}

static bool set_timeout(void *options, const char *text, char *problem)
{
    double *timeout = &((struct options *)options)->timeout;
    char *end;

    (void)problem;
    *timeout = strtod(text, &end);
    return end != text && !*end && isfinite(*timeout) && *timeout > 0 && *timeout < 1e9;
}

static bool set_timing(void *options, const char *text, char *problem)
{
    struct options *o = options;
    int model;

    (void)problem;
    if (!option_parse_word(text, timing_words, &model)) {
        model = TIMING_CORE; /* cores_read checks the name */
        o->core_name = text;
    }
    o->machine.cluster.timing = (enum timing_model)model;
    return *text != '\0';
}

static bool set_fetch(void *options, const char *text, char *problem)
{
    struct cluster_config *config = &((struct options *)options)->machine.cluster;
    const char *seed = strchr(text, ':');
    char word[16] = "";
    int mode;

    (void)problem;
    if (seed && seed - text < (ptrdiff_t)sizeof word)
        memcpy(word, text, (size_t)(seed - text));
    if (!option_parse_word(seed ? word : text, fetch_words, &mode))
        return false;
    config->fetch = (enum fetch_mode)mode;
    /* without its seed such a run could not be repeated */
    if (!fetch_has_choices(config->fetch))
        return !seed;
    return seed && option_parse_number(seed + 1, 1000, &config->fetch_seed);
}

/* One of the words, or "random:SEED"; without its seed such a run could not be repeated. */
static bool parse_seeded(const char *text, const struct option_word *words, int random, int *mode,
                         uint64_t *seed)
{
    if (!strncmp(text, "random:", 7)) {
        *mode = random;
        return option_parse_number(text + 7, 1000, seed);
    }
    return option_parse_word(text, words, mode) && *mode != random;
}

static bool set_translate(void *options, const char *text, char *problem)
{
    struct cluster_config *config = &((struct options *)options)->machine.cluster;
    int mode;

    (void)problem;
    if (!parse_seeded(text, translate_words, TRANSLATE_RANDOM, &mode, &config->translate_seed))
        return false;
    config->translate = (enum translate_mode)mode;
    return true;
}

static bool set_agnostic(void *options, const char *text, char *problem)
{
    struct cluster_config *config = &((struct options *)options)->machine.cluster;
    int mode;

    (void)problem;
    if (!parse_seeded(text, agnostic_words, AGNOSTIC_RANDOM, &mode, &config->agnostic_seed))
        return false;
    config->agnostic = (enum agnostic_mode)mode;
    return true;
}

static bool set_stores(void *options, const char *text, char *problem)
{
    struct cluster_config *config = &((struct options *)options)->machine.cluster;
    int mode;

    (void)problem;
    if (!strncmp(text, "random:", 7)) {
        config->stores = STORES_RANDOM;
        return option_parse_number(text + 7, 1000, &config->stores_seed);
    }
    if (!strncmp(text, "any:", 4)) {
        config->stores = STORES_RANDOM;
        config->late_registers = true;
        return option_parse_number(text + 4, 1000, &config->stores_seed);
    }
    if (!option_parse_word(text, stores_words, &mode))
        return false;
    config->stores = (enum store_mode)mode;
    return mode != STORES_RANDOM; /* as for --fetch */
}

static bool set_allow(void *options, const char *text, char *problem)
{
    struct options *o = options;

    if (o->allow_count == OPTION_ALLOW_MAX) {
        snprintf(problem, OPTION_PROBLEM_MAX, "at most %d; a baseline may have more",
                 OPTION_ALLOW_MAX);
        return false;
    }
    o->allow[o->allow_count++] = text;
    return *text != '\0';
}

/* ---- the table in argp's format ---- */

enum { KEY_BASE = 1000 };

#define OPTION_OWNER struct options

static const struct option_row {
    const char *name;
    int short_key;
    const char *arg, *commands;
    enum option_group group;
    const char *standard; /* the value if the option is not given; NULL: none */
    struct option_value value;
    const char *doc;
} rows[] = {
#define OPT(name, short_key, arg, commands, group, standard, value, doc) \
    {name, short_key, arg, commands, OPTIONS_##group, standard, {value}, doc},
#include "cli/options.def"
#undef OPT
};

/* The commands, those with a letter first: they have the options in rows. */
static const struct command_row {
    const char *name, *operand, *does;
    char letter; /* in the column `commands' of the options; 0: has options of its own, or none */
} commands[] = {
    [COMMAND_RUN] = {"run", " IMAGE", "boots the image and prints a report at the end", 'r'},
    [COMMAND_DEBUG] = {"debug", " IMAGE", "starts the debugger", 'd'},
    [COMMAND_EXPLORE] = {"explore", " IMAGE",
                         "tries the interleavings of the harts around each change of code", 'e'},
    {"litmus", " FILE...", "runs litmus tests, and prints all outcomes (rvftrace litmus --help)",
     0},
    {"report", " FILE...", "shows the reports of finished runs as tables (rvftrace report --help)",
     0},
    {"log", " FILE", "shows and converts what --log has recorded (rvftrace log --help)", 0},
    {"view", " LOG", "shows it in a window", 0},
    {"check-trace", " TRACE IMAGE",
     "judges the fetches in a trace of instructions (rvftrace check-trace --help)", 0},
    {"cores", "", "lists the core models of --timing", 0},
};
static const char command_letters[] = "rde";

struct parse {
    const struct diag *diag;
    struct options *options;
    bool given[ARRAY_LEN(rows)];
    bool done;
    enum exit_status status;
    char name[sizeof "rvftrace"]; /* for argp, whose type is not const */
};

/* What argp calls the option: its letter, or a number above all letters. */
static int key_of(unsigned row)
{
    return rows[row].short_key ? rows[row].short_key : KEY_BASE + (int)row;
}

static error_t refuse(struct parse *p)
{
    p->status = EXIT_USAGE;
    return EINVAL;
}

/* Warns of a repeated option, whose last value is used. */
static void note_repetition(struct parse *p, unsigned row, const char *arg)
{
    if (p->given[row] && arg && !rows[row].value.adds)
        diag_warn(p->diag, "--%s is given more than once; using `%s'", rows[row].name, arg);
    p->given[row] = true;
}

/* Keeps the value for a snapshot of the run: the last one of an option, or each if they add up. */
static void note_saved(struct options *o, const struct option_row *row, const char *arg)
{
    unsigned i = row->value.adds ? o->saved_count : 0;

    if (!strchr(row->commands, 's'))
        return;
    while (i < o->saved_count && o->saved[i].name != row->name)
        i++;
    assert(i < OPTION_SAVED_MAX);
    o->saved[i] = (struct saved_option){row->name, arg};
    o->saved_count += i == o->saved_count;
}

static error_t parse_option(struct parse *p, unsigned row, char *arg)
{
    char problem[OPTION_PROBLEM_MAX];

    if (!strchr(rows[row].commands, commands[p->options->command].letter)) {
        diag_error(p->diag, "--%s is not an option of `rvftrace %s'; see rvftrace %s --help",
                   rows[row].name, commands[p->options->command].name,
                   commands[p->options->command].name);
        return refuse(p);
    }
    if (strcmp(rows[row].name, "isa") == 0 && strcmp(arg, "help") == 0) {
        extensions_list(stdout);
        p->done = true;
        return ECANCELED; /* stops parsing */
    }
    if (option_value_set(&rows[row].value, p->options, arg, problem)) {
        note_repetition(p, row, arg);
        note_saved(p->options, &rows[row], arg);
        return 0;
    }
    diag_error(p->diag, "--%s: invalid value `%s': %s", rows[row].name, arg, problem);
    return refuse(p);
}

/* `command`: a name, or several with `|' between them. */
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

    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        if (key == key_of(i))
            return parse_option(p, i, arg);
    switch (key) {
    case ARGP_KEY_INIT:
        state->name = p->name;
        state->err_stream = NULL; /* getopt has printed its line */
        return 0;
    case '?':
        p->done = true;
        show_help(state->root_argp, commands[p->options->command].name);
        return ECANCELED; /* stops parsing */
    case 'V':
        p->done = true;
        show_version();
        return ECANCELED;
    case ARGP_KEY_ARG:
        if (p->options->machine.image) {
            diag_error(p->diag, "more than one image: `%s' and `%s'", p->options->machine.image,
                       arg);
            return refuse(p);
        }
        if (!*arg) {
            diag_error(p->diag, "the image's name is empty; give a file");
            return refuse(p);
        }
        p->options->machine.image = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char intro[] =
    "Runs a RISC-V kernel image on an emulated virt board that understands ftrace: it models "
    "instruction fetch that stays stale until fence.i, reports missing fences with evidence, and "
    "counts the cycles of every patch site.\v" /* the commands: add_commands */
    "At a terminal Ctrl-A x ends the run and Ctrl-A h lists the other keys.\n\n" OPTIONS_NUMBERS
    "\n\n"
    "The console goes to standard output, everything else to standard error. Exit status: the "
    "guest's own; 64 usage, 65 bad file, 66 no such file, 70 internal error, 74 I/O error, 75 "
    "limit "
    "reached, 76 the guest cannot go on, 80 the audit failed, 128+N ended by signal N.";

#define OPTION_GROUP(id, heading) {.doc = heading, .group = OPTIONS_##id},
static const struct argp_option headings[] = {OPTION_GROUPS(OPTION_GROUP)};
#undef OPTION_GROUP

enum { MORE_OPTIONS = ARRAY_LEN(headings) + 2 /* help, version */ };

/* "Of run and debug.", for the help of all commands; "": an option of all. */
static const char *owners_of(const struct option_row *row)
{
    static const struct {
        const char *letters, *text;
    } owners[] = {{"rd", " Of run and debug."},
                  {"re", " Of run and explore."},
                  {"r", " Of run."},
                  {"d", " Of debug."},
                  {"e", " Of explore."}};
    char letters[sizeof command_letters] = "";

    for (const char *c = command_letters; *c; c++)
        if (strchr(row->commands, *c))
            letters[strlen(letters)] = *c;
    for (unsigned i = 0; i < ARRAY_LEN(owners); i++)
        if (!strcmp(letters, owners[i].letters))
            return owners[i].text;
    return "";
}

/* Returns the last part of the help with the commands before it. To be freed. */
static char *add_commands(const char *text)
{
    char *all = xasprintf("Commands:"), *longer, *docs = installed_folder(SUPPLY_DOCS);

    for (unsigned i = 0; i < ARRAY_LEN(commands); i++) {
        longer = xasprintf("%s `%s%s' %s%c", all, commands[i].name, commands[i].operand,
                           commands[i].does, i + 1 < ARRAY_LEN(commands) ? ';' : '.');
        free(all);
        all = longer;
    }
    longer = xasprintf("%s %s%s%s%s", all, text, docs ? "\n\nThe documents docs/NAME are in " : "",
                       docs ? docs : "", docs ? "." : "");
    free(all);
    free(docs);
    return longer;
}

/* Puts the commands before the last text of the help. To be freed if it is not `text'. */
static char *complete_text(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_POST_DOC ? add_commands(text) : (char *)(uintptr_t)text;
}

/* The text of an option with its default, and where all options are shown, its commands. */
static char *text_of(const struct option_row *row, bool all)
{
    const char *owners = all ? owners_of(row) : "";

    return row->standard ? xasprintf("%s Default %s.%s", row->doc, row->standard, owners)
                         : xasprintf("%s%s", row->doc, owners);
}

/* Whether a command has an option of the group. */
static bool has_group(const char *letters, int group)
{
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        if ((int)rows[i].group == group && strpbrk(rows[i].commands, letters))
            return true;
    return false;
}

/*
 * Shows only the options of these commands in the help; the others are parsed, too. The texts are
 * to be freed by free_texts.
 */
static void fill_options(struct argp_option *options, const char *letters)
{
    bool all = letters[1];

    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        *options++ =
            (struct argp_option){.name = rows[i].name,
                                 .key = key_of(i),
                                 .arg = rows[i].arg,
                                 .flags = strpbrk(rows[i].commands, letters) ? 0 : OPTION_HIDDEN,
                                 .doc = text_of(&rows[i], all),
                                 .group = (int)rows[i].group};
    for (unsigned i = 0; i < ARRAY_LEN(headings); i++)
        if (all || has_group(letters, headings[i].group))
            *options++ = headings[i];
    *options++ = (struct argp_option){
        .name = "help", .key = '?', .doc = "Print this and exit.", .group = -1};
    *options =
        (struct argp_option){.name = "version", .key = 'V', .doc = "Print the version and exit."};
}

static void free_texts(const struct argp_option *options)
{
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        free((char *)(uintptr_t)options[i].doc);
}

static void refuse_command(const char *word, const struct diag *d)
{
    struct nearest near = nearest_to(word);
    char names[128];
    size_t len = 0;

    for (unsigned i = 0; i < ARRAY_LEN(commands); i++)
        nearest_offer(&near, commands[i].name);
    for (unsigned i = 0; i < ARRAY_LEN(commands) && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s",
                                !i                            ? ""
                                : i + 1 < ARRAY_LEN(commands) ? ", "
                                                              : " and ",
                                commands[i].name);
    diag_error(d, "no command `%s'; %s%s%sthe commands are %s, see rvftrace --help", word,
               near.found ? "did you mean `" : "", near.found ? near.found : "",
               near.found ? "'? " : "", names);
}

/* The first word is the command. */
static bool take_command(char **argv, struct parse *p)
{
    for (unsigned i = 0; argv[1] && commands[i].letter; i++)
        if (!strcmp(argv[1], commands[i].name)) {
            p->options->command = (enum command)i;
            return true;
        }
    if (argv[1])
        refuse_command(argv[1], p->diag);
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
    char problem[OPTION_PROBLEM_MAX];

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
            !option_value_set(&rows[i].value, p->options, arg, problem))
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
    if (!o->machine.image && !strncmp(line, image, strlen(image)))
        o->machine.image = own(o, unescape_text(line + strlen(image)));
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

/* Makes paths of `guest:NAME'. False: there is no such file; a message was given. */
static bool find_supplies(struct options *o, const struct diag *d)
{
    const char **names[] = {&o->machine.image, &o->machine.initrd};

    for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
        char *path = *names[i] ? installed_path(*names[i], d) : NULL;

        if (*names[i] && !path)
            return false;
        if (path && strcmp(path, *names[i]) != 0) {
            *names[i] = own(o, path);
            o->image_is_supplied |= !i;
        } else {
            free(path);
        }
    }
    return true;
}

static void set_defaults(struct options *o)
{
    char problem[OPTION_PROBLEM_MAX];
    bool valid;

    /* Those of `no limit', which no value of these options means. */
    *o = (struct options){.max_insns = UINT64_MAX,
                          .max_cycles = UINT64_MAX,
                          .save_at = UINT64_MAX,
                          .rows = OPTION_ROWS_AUTO,
                          .selected = selection_all};
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        valid = !rows[i].standard || option_value_set(&rows[i].value, o, rows[i].standard, problem);
        assert(valid);
        (void)valid;
    }
}

static bool is_early(const char *word, const char *name, const char *short_name)
{
    return word && (!strcmp(word, name) || !strcmp(word, short_name));
}

/* `cores [NAME]'. */
static enum exit_status parse_cores(int argc, char **argv, const struct diag *d, struct options *o,
                                    bool *done)
{
    o->command = COMMAND_CORES;
    o->machine.image = argc > 2 ? argv[2] : NULL;
    if (argc == 3 && is_early(argv[2], "--help", "-?")) {
        puts("Usage: rvftrace cores [NAME|FILE]\nLists the core models of --timing, or what one of "
             "them has.");
        *done = true;
        return EXIT_PASS;
    }
    if (argc <= 3 && !(o->machine.image && o->machine.image[0] == '-'))
        return EXIT_PASS;
    diag_error(d, "usage: rvftrace cores [NAME|FILE]");
    return EXIT_USAGE;
}

/* For the words before which argp is not asked. *done: one of them was printed. */
static void show_early(const char *word, const struct argp *argp, struct argp_option *options,
                       bool *done)
{
    if (is_early(word, "--version", "-V")) {
        show_version();
        *done = true;
    } else if (is_early(word, "--help", "-?")) {
        fill_options(options, command_letters);
        show_help(argp, "run|debug|explore");
        free_texts(options);
        *done = true;
    }
}

/* Parses what follows the command. False: it is invalid, and a message was given. */
static bool parse_words(int argc, char **argv, const struct argp *argp, struct parse *p)
{
    char program_name[] = "rvftrace: error"; /* getopt begins its messages with argv[0] */
    char batch[] = "--batch", command[32];
    error_t error;

    snprintf(command, sizeof command, "rvftrace %s", commands[p->options->command].name);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "-batch")) /* as gdb spells it */
            argv[i] = batch;
    if (!arguments_check_names(argp->options, argc, argv, command, p->diag))
        return false;
    argv[1] = program_name;
    error = argp_parse(argp, argc - 1, argv + 1, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, p);
    argv[1] = argv[0];
    return p->done || (!error && !p->status);
}

enum exit_status options_parse(int argc, char **argv, const struct diag *d, struct options *o,
                               bool *done)
{
    struct argp_option options[ARRAY_LEN(rows) + MORE_OPTIONS + 1] = {0};
    struct argp argp = {options, parse_key, "IMAGE", intro, NULL, complete_text, NULL};
    struct parse p = {.diag = d, .options = o, .name = "rvftrace"};
    char letter[2] = {0};
    enum exit_status status = EXIT_PASS;
    bool valid;

    set_defaults(o);
    *done = false;
    show_early(argv[1], &argp, options, done);
    if (*done)
        return EXIT_PASS;
    if (argv[1] && !strcmp(argv[1], "cores"))
        return parse_cores(argc, argv, d, o, done);
    if (!take_command(argv, &p))
        return EXIT_USAGE;
    letter[0] = commands[o->command].letter;
    fill_options(options, letter);
    valid = parse_words(argc, argv, &argp, &p);
    free_texts(options);
    if (!valid)
        return EXIT_USAGE;
    *done = p.done;
    if (p.done)
        return EXIT_PASS;
    if (o->restore)
        status = inherit(&p);
    if (status != EXIT_PASS)
        return status;
    if (!o->machine.image) {
        diag_error(d, "no image; try `rvftrace %s IMAGE'", commands[o->command].name);
        return EXIT_USAGE;
    }
    if (!options_check_combinations(o, d))
        return EXIT_USAGE;
    if (!find_supplies(o, d))
        return EXIT_NO_FILE;
    if (o->command == COMMAND_EXPLORE && !strcmp(o->console, "stdio"))
        o->console = "none";
    return EXIT_PASS;
}

const char *options_firmware_name(enum firmware_kind kind)
{
    return word_for(firmware_words, (int)kind);
}

const char *options_stores_name(const struct cluster_config *config)
{
    return config->late_registers ? "any" : word_for(stores_words, (int)config->stores);
}

const char *options_fetch_name(enum fetch_mode mode)
{
    return word_for(fetch_words, (int)mode);
}

const char *options_agnostic_name(enum agnostic_mode mode)
{
    return word_for(agnostic_words, (int)mode);
}

const char *options_translate_name(enum translate_mode mode)
{
    return word_for(translate_words, (int)mode);
}

const char *options_timing_name(const struct options *o)
{
    enum timing_model timing = o->machine.cluster.timing;

    return timing == TIMING_CORE ? o->core_name : word_for(timing_words, (int)timing);
}
