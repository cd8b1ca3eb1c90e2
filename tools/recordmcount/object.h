/*
 * object.h - one relocatable object as recordmcount sees it; object.c fills it in.
 */
#ifndef RECORDMCOUNT_OBJECT_H
#define RECORDMCOUNT_OBJECT_H

#include "elf_file.h"
#include "site.h"

#define LOC_NAME  "__mcount_loc"
#define RELA_NAME ".rela" LOC_NAME /* holds the other name as its tail */

/* The symbol a section's records can be written against; a higher rank is safer. */
enum rank { NO_ANCHOR, GLOBAL_ANCHOR, LOCAL_ANCHOR, SECTION_ANCHOR };

struct anchor {
    enum rank rank;
    size_t symbol;
    uint64_t value;
};

struct object {
    struct elf_file file;
    const char *symbol; /* what the sites call */
    size_t symtab;      /* 0: none */
    size_t symbol_names;
    Elf_Data *symbols, *xindex;
    struct site_list sites; /* sorted */
    struct anchor *anchors; /* these two by section */
    size_t *groups;         /* 0: in none */
};

/* Opens and judges; object_close is due after both outcomes. */
MUST_USE int object_open(struct object *o, const char *path, const char *symbol, enum voice voice);
void object_close(struct object *o);

bool object_has_records(const struct object *o);
/* The records that are there are those that the sites ask for. */
MUST_USE int object_check_records(const struct object *o);

/* Gives the file its records (object_write.c). */
MUST_USE int object_extend(const struct object *o);

#endif
