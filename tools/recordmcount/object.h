/*
 * object.h - a relocatable object: its sites, and the symbols to record them against.
 */
#ifndef RECORDMCOUNT_OBJECT_H
#define RECORDMCOUNT_OBJECT_H

#include "elf_file.h"
#include "site.h"

#define LOC_NAME  "__mcount_loc"
#define RELA_NAME ".rela" LOC_NAME /* ends with the other name, so one string serves both */

/* The symbol a section's records can be written against; a higher rank is safer. */
enum rank { NO_ANCHOR, GLOBAL_ANCHOR, LOCAL_ANCHOR, SECTION_ANCHOR };

struct anchor {
    enum rank rank;
    size_t symbol;
    uint64_t value;
};

struct object {
    struct elf_file file;
    const char *symbol; /* the function that the sites call */
    size_t symtab;      /* 0: none */
    size_t symbol_names;
    Elf_Data *symbols, *xindex;
    struct site_list sites; /* sorted */
    struct anchor *anchors; /* by section */
    size_t *groups;         /* by section; 0: in no group */
};

/* Opens and checks an object. object_close must be called also after an error. */
MUST_USE int object_open(struct object *o, const char *path, const char *symbol, enum voice voice);
void object_close(struct object *o);

bool object_has_records(const struct object *o);
/* Checks that the existing records are those of the sites. */
MUST_USE int object_check_records(const struct object *o);

/* Adds the records to the file (object_write.c). */
MUST_USE int object_extend(const struct object *o);

#endif
