/*
 * image.h - a litmus test as an image for the machine: code, data and page tables at fixed places,
 * and around each program a few instructions that give the hart its registers and, at the end,
 * keep them in memory and end the run.
 *
 * `rvftrace run' takes the same image, so an outcome is replayed on the machine that has shown it.
 */
#ifndef LITMUS_IMAGE_H
#define LITMUS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "litmus/assemble.h"
#include "litmus/test.h"

#define IMAGE_BASE UINT64_C(0x80000000)

struct test_image {
    const struct test *test;
    const struct assembled *code;
    uint8_t *bytes; /* from IMAGE_BASE on */
    size_t size;
    struct {
        uint64_t start, end; /* of the program: the test ends for a hart when its pc is `end' */
        uint64_t fault;      /* where an exception leads */
    } harts[LITMUS_HARTS_MAX];
    uint64_t *va, *pa;        /* of each location */
    uint64_t data, data_size; /* physical: all locations, and page tables */
    uint64_t locations_size;  /* of that, from its start on: the locations that there are */
    uint64_t tables;          /* and where the tables begin; without them, its end */
};

/*
 * `near': the locations are side by side, in one cache line as far as they fit, and so in one
 * reservation set; else each is in lines of its own. NULL: the test cannot be laid out; *problem
 * says why, and the caller frees it.
 */
MUST_USE struct test_image *test_image_new(const struct test *t, const struct assembled *code,
                                           bool near, char **problem);
void test_image_free(struct test_image *i); /* NULL is allowed */

/* Writes it as an ELF file with symbols: P0, P0_end, P0_LABEL and the locations. */
MUST_USE enum exit_status test_image_write(const struct test_image *i, const char *path,
                                           const struct diag *d);

/*
 * The number that a value is in the image. A jump is meant for the place at which the test stores
 * it, which is guessed from where `hart' stores `reg' (32: not from a register).
 */
uint64_t test_image_value(const struct test_image *i, const struct value *v, unsigned hart,
                          unsigned reg);

/* The address of a label in a program; false: there is no such label. */
bool test_image_label(const struct test_image *i, unsigned hart, const char *name, uint64_t *at);

#endif
