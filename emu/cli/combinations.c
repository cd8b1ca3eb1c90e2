/*
 * combinations.c - see combinations.h.
 */
#include "cli/combinations.h"

#include <string.h>

#include "base/compiler.h"
#include "base/file_uses.h"
#include "cpu/isa/extension.h"

static bool is_standard(const char *path)
{
    return path && !strcmp(path, "-");
}

/* The number of files that are written to standard output. */
static unsigned standard_files(const struct options *o)
{
    return (unsigned)is_standard(o->report) + is_standard(o->sarif) + is_standard(o->junit) +
           is_standard(o->html) + is_standard(o->trace) + is_standard(o->log) +
           is_standard(o->rings) + is_standard(o->write_baseline) + is_standard(o->device_log) +
           is_standard(o->dump_dtb) + is_standard(o->itrace);
}

/* Whether the guest's console is standard output: explore has none unless it is asked for one. */
static bool console_is_standard(const struct options *o)
{
    return o->command != COMMAND_EXPLORE && !strcmp(o->console, "stdio");
}

/* Whether --log can select it: the time of calls, and their task. */
static bool selects_only_calls(const struct selection *s)
{
    struct selection rest = *s;

    rest.task = NULL;
    rest.cycles = selection_all.cycles;
    rest.steps = selection_all.steps;
    return !selection_is_made(&rest);
}

/*
 * The combinations of options that are refused, a row each: whether the option was given, whether
 * what it needs is missing or what it excludes was given, too, and the message.
 */
static const char *find_conflict(const struct options *o)
{
    const bool no_audit = o->audit == AUDIT_OFF;
    const bool is_explore = o->command == COMMAND_EXPLORE;
    const bool saves_at = o->save_at != UINT64_MAX;
    const struct {
        bool given, conflict;
        const char *message;
    } combinations[] = {
        /* The options about findings need the auditor, and a baseline all findings. */
        {o->allow_count, no_audit, "--allow needs the auditor; leave out --audit=off"},
        {o->baseline, no_audit, "--baseline needs the auditor; leave out --audit=off"},
        {o->write_baseline, no_audit, "--write-baseline needs the auditor; leave out --audit=off"},
        {o->sarif, no_audit, "--sarif needs the auditor; leave out --audit=off"},
        {o->junit, no_audit, "--junit needs the auditor; leave out --audit=off"},
        {o->write_baseline, o->audit == AUDIT_FAIL,
         "--write-baseline needs all findings, and --audit=fail stops at the first; use "
         "--audit=warn"},
        {is_explore, no_audit, "explore needs the auditor; leave out --audit=off"},
        {o->machine.port_count, o->machine.drive_count == MACHINE_DRIVES_MAX,
         "--port takes the place of the last --drive: give at most 5 drives"},
        {o->gdb_write, !o->gdb, "--gdb-write is for gdb: give --gdb, too"},
        {o->gdb, o->commands, "--gdb gives the machine to gdb; leave out --commands"},
        {true, standard_files(o) > 1,
         "standard output takes one file: give `-' to one of the options only"},
        {standard_files(o), console_is_standard(o),
         "standard output is the guest's console: give a file in place of `-', or --console none "
         "or --console FILE"},
        {o->replay, o->input, "--replay supplies the input; leave out --input"},
        {o->view, is_standard(o->log), "--view shows the log: give --log a file"},
        {o->machine.cluster.timing == TIMING_CORE, o->machine.cluster.stores != STORES_PROMPT,
         "--stores delayed and random have no core models: leave out --timing, or --stores"},
        {o->machine.cluster.timing == TIMING_CORE, o->machine.cluster.extensions & EXTS_V,
         "the core models have no vector unit: leave v out of --isa, or leave out --timing"},
        {o->html, !o->watch.account, "--html shows the costs of sites: leave out --account=off"},
        {o->html, o->log && !strcmp(o->log, "-"),
         "--html reads the log at the end: give --log a file"},
        {selection_is_made(&o->selected),
         !o->trace && !o->itrace && !(o->log && selects_only_calls(&o->selected)),
         "--from, --until, --function, --only-hart and --task select what --trace and --itrace "
         "write, and --from, --until and --task also calls of --log: give one of these, too"},
        {o->log_args, (!o->log && !o->trace) || o->trace_calls == TRACE_NONE,
         "--log-args records the calls of --log or --trace: give one of these, without "
         "--trace-calls=none"},
        {o->region_from, o->region_marks,
         "--region-marks takes regions from the guest; leave out --region-from"},
        {o->region_to, !o->region_from, "--region-to ends what --region-from begins: give it, too"},
        {o->region_from || o->region_marks, o->gdb || saves_at,
         "a run with regions is neither gdb's nor saved in between; leave out --gdb and --save-at"},
        {saves_at, !o->save, "--save-at needs a file: give --save FILE"},
        {saves_at, o->gdb,
         "--gdb gives the machine to gdb; leave out --save-at (gdb's `monitor save')"},
    };

    _Static_assert(MACHINE_DRIVES_MAX == 6, "the message about --port says so");
    for (unsigned i = 0; i < ARRAY_LEN(combinations); i++)
        if (combinations[i].given && combinations[i].conflict)
            return combinations[i].message;
    return NULL;
}

/* The first disk that the guest would write to; NULL: there is none. */
static const struct machine_drive *find_writable(const struct machine_config *config)
{
    for (unsigned i = 0; i < config->drive_count; i++)
        if (config->drives[i].mode == DRIVE_WRITABLE)
            return &config->drives[i];
    return NULL;
}

static bool offers_svvptc(const struct options *o)
{
    uint64_t extensions = o->machine.cluster.extensions;

    return !extensions || extensions >> EXT_Svvptc & 1;
}

/* The file that an option reads, if it is not also what a newer one takes the place of. */
static const char *unless_renewed(const char *read, const char *written)
{
    return read && written && !strcmp(read, written) ? NULL : read;
}

/* Whether no output takes the place of an input. --restore may name the file of --save. */
static bool check_files(const struct options *o, const struct diag *d)
{
    const struct machine_config *m = &o->machine;
    const bool console_is_file =
        strcmp(o->console, "stdio") != 0 && strcmp(o->console, "none") != 0;
    struct file_use uses[32 + MACHINE_DRIVES_MAX + MACHINE_PORTS_MAX] = {
        {"the machine", m->image, FILE_IS_READ},
        {"--firmware", m->firmware == FIRMWARE_FILE ? m->firmware_path : NULL, FILE_IS_READ},
        {"--initrd", m->initrd, FILE_IS_READ},
        {"--dtb", m->dtb, FILE_IS_READ},
        {"--symbols", o->symbols, FILE_IS_READ},
        {"--input", o->input, FILE_IS_READ},
        {"--replay", o->replay, FILE_IS_READ},
        {"--restore", unless_renewed(o->restore, o->save), FILE_IS_READ},
        {"--schedule", o->schedule, FILE_IS_READ},
        {"--baseline", unless_renewed(o->baseline, o->write_baseline), FILE_IS_READ},
        {"--commands", o->commands, FILE_IS_READ},
        {"--record", o->record, FILE_IS_REPLACED},
        {"--save", o->save, FILE_IS_REPLACED},
        {"--write-baseline", o->write_baseline, FILE_IS_REPLACED},
        {"--report", o->report, FILE_IS_REPLACED},
        {"--html", o->html, FILE_IS_REPLACED},
        {"--sarif", o->sarif, FILE_IS_REPLACED},
        {"--junit", o->junit, FILE_IS_REPLACED},
        {"--trace", o->trace, FILE_IS_REPLACED},
        {"--device-log", o->device_log, FILE_IS_REPLACED},
        {"--itrace", o->itrace, FILE_IS_REPLACED},
        {"--log", o->log, FILE_IS_REPLACED},
        {"--rings", o->rings, FILE_IS_REPLACED},
        {"--dump-dtb", o->dump_dtb, FILE_IS_REPLACED},
        {"--console", console_is_file ? o->console : NULL, FILE_IS_CHANGED},
    };
    size_t count = 0;

    while (uses[count].option)
        count++;
    for (unsigned i = 0; i < m->drive_count; i++)
        uses[count++] =
            (struct file_use){"--drive", m->drives[i].path,
                              m->drives[i].mode == DRIVE_WRITABLE ? FILE_IS_CHANGED : FILE_IS_READ};
    for (unsigned i = 0; i < m->port_count; i++)
        uses[count++] = (struct file_use){"--port", m->ports[i].path, FILE_IS_CHANGED};
    return file_uses_check(uses, count, d);
}

bool options_check_combinations(const struct options *o, const struct diag *d)
{
    const struct machine_drive *drive = find_writable(&o->machine);
    const char *conflict = find_conflict(o);

    if (o->command == COMMAND_EXPLORE && drive)
        diag_error(d, "--drive %s: each interleaving would write to it; add `,snapshot'",
                   drive->path);
    else if (o->machine.cluster.translate == TRANSLATE_INVALID && offers_svvptc(o))
        diag_error(d,
                   "--translate invalid: Svvptc promises that new entries are seen; give an --isa "
                   "without it");
    else if (conflict)
        diag_error(d, "%s", conflict);
    else
        return check_files(o, d);
    return false;
}
