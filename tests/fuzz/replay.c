/*
 * replay.c - the kept inputs of the fuzz targets, without libFuzzer.
 *
 *     replay TARGET FILE...
 *
 * All targets are in this one program, compiled by gcc and linked against the sanitized objects
 * that the unit tests use: clang compiles the emulator once more only for those who fuzz. The build
 * gives each target's function a name of its own. An input that takes ten seconds ends the program,
 * as does one that fails.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/check.h"

typedef int run_input(const uint8_t *bytes, size_t size);

/* FUZZ_TARGETS is a line X(NAME) for each file fuzz_NAME.c. */
#define X(name) run_input replay_##name;
FUZZ_TARGETS
#undef X

static const struct {
    const char *name;
    run_input *run;
} targets[] = {
#define X(name) {#name, replay_##name},
    FUZZ_TARGETS
#undef X
};

/* libFuzzer's, which the mutators of some targets refer to. Here nothing changes an input. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room)
{
    (void)bytes;
    (void)size;
    (void)room;
    abort();
}

static void replay(run_input *run, const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes;
    long size;

    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    size = ftell(f);
    CHECK(size >= 0 && fseek(f, 0, SEEK_SET) == 0);
    /* No byte more than the input has, so that the sanitizer sees a read beyond it. */
    bytes = malloc((size_t)size);
    CHECK((bytes || !size) && fread(bytes, 1, (size_t)size, f) == (size_t)size);
    fclose(f);
    (void)alarm(10);
    fprintf(stderr, "%s\n", path);
    (void)run(bytes, (size_t)size);
    free(bytes);
}

int main(int argc, char **argv)
{
    for (size_t t = 0; argc > 1 && t < sizeof targets / sizeof *targets; t++) {
        if (strcmp(targets[t].name, argv[1]) != 0)
            continue;
        for (int i = 2; i < argc; i++)
            replay(targets[t].run, argv[i]);
        return 0;
    }
    fprintf(stderr, "usage: replay TARGET FILE..., where tests/fuzz/fuzz_TARGET.c is a target\n");
    return 64;
}
