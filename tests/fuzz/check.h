/*
 * check.h - claims of a target. A claim that fails ends the run like a crash, so
 * that libFuzzer stores the input.
 */
#ifndef TESTS_FUZZ_CHECK_H
#define TESTS_FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(claim)                                                            \
    do {                                                                        \
        if (!(claim)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
            abort();                                                            \
        }                                                                       \
    } while (0)

/* Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
