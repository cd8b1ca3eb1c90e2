/*
 * fuzz_lines.c - files with DWARF, valid or not (load/lines.h). Every address of
 * the text is looked up.
 */
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/scratch.h"
#include "load/lines.h"

enum { BASE = 0x80000000, QUESTIONS = 64 };

/* Memory leaks of libdw itself on damaged files are ignored. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libdw";
}

static void check_place(const struct line_place *place)
{
    CHECK(place->file && strlen(place->file) < 1 << 16);
    CHECK(!place->function || strlen(place->function) < 1 << 16);
    CHECK(!place->inlined || strlen(place->inlined) < 1 << 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lines *l = lines_new(scratch_file(SCRATCH_SYMBOLS, bytes, size));
    struct line_place place;

    for (uint64_t n = 0; n < QUESTIONS; n++)
        if (lines_at(l, BASE + 2 * n, &place))
            check_place(&place);
    if (lines_at(l, UINT64_MAX, &place))
        check_place(&place);
    lines_free(l);
    return 0;
}
