/*
 * identity.c - see identity.h. Each option that affects the guest has a line
 * here; options that only observe (--audit, --report, limits) have none.
 */
#include "cli/identity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/escape.h"
#include "cli/modes.h"
#include "cpu/isa/extension.h"
#include "load/file.h"

static void add(struct identity *i, char *line)
{
    assert(i->count < IDENTITY_LINES_MAX);
    i->lines[i->count++] = line;
}

static enum exit_status add_file(struct identity *i, const char *key, const char *path,
                                 enum identity_use use, const struct diag *d)
{
    uint64_t hash;
    enum exit_status status =
        use == IDENTITY_OF_SNAPSHOT ? file_digest(path, d, &hash) : file_hash(path, d, &hash);

    if (status == EXIT_PASS)
        add(i, xasprintf("run %s 0x%016" PRIx64, key, hash));
    return status;
}

static enum exit_status add_drives(struct identity *i, const struct machine_config *board,
                                   enum identity_use use, const struct diag *d)
{
    enum exit_status status = EXIT_PASS;

    for (unsigned n = 0; n < board->drive_count && status == EXIT_PASS; n++)
        status = add_file(i, board->drives[n].mode == DRIVE_READ_ONLY ? "drive,readonly" : "drive",
                          board->drives[n].path, use, d);
    return status;
}

static enum exit_status add_files(struct identity *i, const struct options *o,
                                  enum identity_use use, enum firmware_kind firmware,
                                  const struct diag *d)
{
    enum exit_status status = EXIT_PASS;

    if (firmware == FIRMWARE_FILE)
        status = add_file(i, "firmware", o->machine.firmware_path, use, d);
    else
        add(i, xasprintf("run firmware %s", options_firmware_name(firmware)));
    if (status == EXIT_PASS && o->machine.initrd)
        status = add_file(i, "initrd", o->machine.initrd, use, d);
    if (status == EXIT_PASS && o->machine.dtb)
        status = add_file(i, "dtb", o->machine.dtb, use, d);
    if (status == EXIT_PASS && o->schedule)
        status = add_file(i, "schedule", o->schedule, use, d);
    return status == EXIT_PASS ? add_drives(i, &o->machine, use, d) : status;
}

/* The line with the kernel's command line. */
static void add_bootargs(struct identity *i, const char *text)
{
    char *escaped = escape_text(text);

    add(i, xasprintf("run append %s", escaped));
    free(escaped);
}

static void add_port(struct identity *i, const char *name)
{
    char *escaped = escape_text(name);

    add(i, xasprintf("run port %s", escaped));
    free(escaped);
}

/* Frees the value. */
static void add_mode(struct identity *i, const char *option, char *value)
{
    add(i, xasprintf("run %s %s", option, value));
    free(value);
}

static void add_options(struct identity *i, const struct options *o)
{
    const struct machine_config *board = &o->machine;
    const struct cluster_config *harts = &board->cluster;
    char isa[EXT_TEXT_MAX];

    extensions_format(harts->extensions ? harts->extensions : cluster_default_extensions(harts),
                      isa);
    add(i, xasprintf("run harts %u", board->harts));
    add(i, xasprintf("run isa %s", isa));
    add(i, xasprintf("run memory %" PRIu64, board->memory));
    add(i, xasprintf("run virtio-console %s", board->virtio_console ? "on" : "off"));
    if (board->kaslr)
        add(i, xasprintf("run kaslr on"));
    for (unsigned n = 0; n < board->port_count; n++)
        add_port(i, board->ports[n].name);
    add(i, xasprintf("run seed %" PRIu64, board->seed));
    if (harts->timing == TIMING_CORE)
        add(i, xasprintf("run timing core 0x%016" PRIx64, o->core_hash));
    else
        add(i, xasprintf("run timing %s", options_timing_name(o)));
    add_mode(i, "fetch", modes_fetch(harts));
    add_mode(i, "translate", modes_translate(harts));
    add(i, xasprintf("run translations-max %" PRIu32, harts->used_max));
    add_mode(i, "stores", modes_stores(harts));
    add_mode(i, "agnostic", modes_agnostic(harts));
    add(i, xasprintf("run old-code-max %zu", harts->old_code_max));
    add_bootargs(i, board->bootargs ? board->bootargs : "");
}

enum exit_status identity_new(const struct options *o, enum identity_use use, uint64_t image_hash,
                              enum firmware_kind firmware, const struct diag *d,
                              struct identity *out)
{
    enum exit_status status = EXIT_PASS;
    uint64_t hash;

    *out = (struct identity){.count = 0};
    add(out, xasprintf("run image 0x%016" PRIx64, image_hash));
    add_options(out, o);
    if (use == IDENTITY_OF_RECORDING && o->restore) {
        status = file_digest(o->restore, d, &hash);
        if (status == EXIT_PASS)
            add(out, xasprintf(IDENTITY_RESTORE "0x%016" PRIx64, hash));
    }
    if (status == EXIT_PASS)
        status = add_files(out, o, use, firmware, d);
    if (status != EXIT_PASS)
        identity_free(out);
    return status;
}

void identity_free(struct identity *i)
{
    while (i->count)
        free(i->lines[--i->count]);
}
