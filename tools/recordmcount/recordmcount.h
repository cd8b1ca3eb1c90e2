/*
 * recordmcount.h - the three actions of recordmcount.
 *
 * Each returns 0 or an exit status of sysexits.h after one line on standard error.
 */
#ifndef RECORDMCOUNT_H
#define RECORDMCOUNT_H

#include <stdbool.h>

struct request {
    const char *symbol; /* the function that the sites call: _mcount */
    unsigned nops;      /* bytes of nops that the compiler left at each site; 0: it left a call */
    unsigned align;     /* of each site; 0: any */
    bool verbose;       /* one line of figures for each file on standard output */
};

/* Adds __mcount_loc to an object, one for each text section with sites. */
int object_record(const char *path, const struct request *request);
/* Checks and sorts the table of a linked image, in place. */
int image_sort(const char *path, const struct request *request);
/* Prints `address symbol+0xoffset` for each entry of a linked image, in table order. */
int image_list(const char *path, const struct request *request);

#endif
