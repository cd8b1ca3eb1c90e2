/*
 * fuzz_options.c - command lines: words with a NUL between them. Options that
 * argp handles itself (--help) are left out, because they print.
 */
#include "cli/options.h"
#include "cpu/isa/extension.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

enum { WORDS_MAX = 40 };

static bool prints(const char *word)
{
    return !strncmp(word, "--h", 3) || !strncmp(word, "--v", 3) || !strncmp(word, "--u", 3) ||
           (word[0] == '-' && word[1] != '-' && strpbrk(word, "?hV"));
}

static int split(char *text, size_t size, char *argv[WORDS_MAX + 1])
{
    int argc = 1; /* the program comes first */

    for (size_t at = 0; at < size && argc < WORDS_MAX; at += strlen(text + at) + 1)
        if (!prints(text + at))
            argv[argc++] = text + at;
    argv[argc] = NULL;
    return argc;
}

static void check_options(const struct options *o)
{
    CHECK(o->machine.image || o->command == COMMAND_CORES);
    CHECK(o->machine.harts >= 1 && o->machine.harts <= HARTS_MAX);
    CHECK(o->machine.memory % 4096 == 0 && o->machine.memory);
    CHECK(o->machine.drive_count <= MACHINE_DRIVES_MAX);
    for (unsigned i = 0; i < o->machine.drive_count; i++)
        CHECK(o->machine.drives[i].path[0] &&
              memchr(o->machine.drives[i].path, '\0', MACHINE_PATH_MAX));
    CHECK((o->machine.cluster.extensions & ~EXTS_ALL) == 0);
    CHECK(options_firmware_name(o->machine.firmware) &&
          options_fetch_name(o->machine.cluster.fetch) && options_timing_name(o));
    CHECK(o->machine.firmware != FIRMWARE_FILE || o->machine.firmware_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = calloc(1, size + 1), *argv[WORDS_MAX + 1];
    char name[] = "rvftrace";
    struct diag d = {.out = fopen("/dev/null", "w"), .program = "fuzz"};
    struct options o;
    enum exit_status status;
    bool done = false;
    int argc;

    memcpy(text, bytes, size);
    argc = split(text, size, argv);
    argv[0] = name;
    status = options_parse(argc, argv, &d, &o, &done);
    /* The others: of the file of --restore. */
    CHECK(status == EXIT_PASS || status == EXIT_USAGE || status == EXIT_BAD_FILE ||
          status == EXIT_NO_FILE || status == EXIT_IO);
    if (status == EXIT_PASS && !done)
        check_options(&o);
    options_free(&o);
    fclose(d.out);
    free(text);
    return 0;
}
