/*
 * fuzz_elf.c - image files: ELF with damaged headers,
 * tables, symbols and sites, raw images, Linux's header. Each file gives an image
 * as image.h describes it, or an error of one line; and loading it takes memory for
 * its bytes only.
 */
#include <elf.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "ftrace/sites/sites.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/scratch.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

#define RAM UINT64_C(0x80000000)

enum { RAM_BYTES = 4 << 20, SAID_MAX = 4096 };

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

static void check_segment(const struct image *im, const struct image_segment *s)
{
    uint64_t pa, va;

    CHECK(s->mem_size && s->file_size <= s->mem_size);
    CHECK(s->offset <= im->file.size && s->file_size <= im->file.size - s->offset);
    CHECK(s->headers <= s->file_size);
    CHECK(image_va_to_pa(im, s->va, &pa) && image_pa_to_va(im, s->pa, &va));
    CHECK(image_va_to_pa(im, s->va + s->mem_size - 1, &pa) && image_covers(im, s->pa));
}

static void check_text(const struct image *im, const struct image_text *t)
{
    uint64_t pa;

    CHECK(t->size && image_covers(im, t->pa) && image_covers(im, t->pa + t->size - 1));
    CHECK(image_va_to_pa(im, t->va, &pa) && image_va_to_pa(im, t->va + t->size - 1, &pa));
}

static void check_image(const struct image *im)
{
    CHECK(im->segment_count);
    for (size_t i = 0; i < im->segment_count; i++)
        check_segment(im, &im->segments[i]);
    for (size_t i = 0; i < im->text_count; i++)
        check_text(im, &im->texts[i]);
}

/* Pages of RAM that the host has given memory for, at most: what the file brings, not its zeroes.
 */
static void check_memory(const struct image *im, const struct ram *r)
{
    unsigned char given[RAM_BYTES / PAGE_BYTES];
    uint64_t pages = 0, most = 0;

    CHECK(!mincore(r->bytes, RAM_BYTES, given));
    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        pages += given[i] & 1;
    for (size_t i = 0; i < im->segment_count; i++)
        if (im->segments[i].file_size)
            most += im->segments[i].file_size / PAGE_BYTES + 2;
    CHECK(pages <= most);
}

/* After loading, RAM has the bytes of the last segment at each address. */
static void check_loaded(const struct image *im, const struct bus *b)
{
    const struct image_segment *s = &im->segments[im->segment_count - 1];
    const struct ram *r = bus_ram(b);

    if (!ram_has(r, s->pa, s->mem_size))
        return; /* its headers, which are left out */
    CHECK(!memcmp(ram_host(r, s->pa), im->file.bytes + s->offset, s->file_size));
    for (uint64_t i = s->file_size; i < s->mem_size; i++)
        CHECK(!*ram_host(r, s->pa + i));
}

static void load(const struct image *im, const struct diag *d)
{
    static const struct image_room room = {RAM + RAM_BYTES, 0};
    struct bus *b = bus_new();

    CHECK(bus_map_ram(b, ram_new(RAM, RAM_BYTES), d));
    if (image_load(im, b, &room, d) == EXIT_PASS) {
        check_memory(im, bus_ram(b));
        check_loaded(im, b);
    }
    bus_free(b);
}

static void check_symbols(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const struct symbol *s = symbols_get(symbols, i);
        uint64_t addr, offset;

        CHECK(!i || symbols_get(symbols, i - 1)->addr <= s->addr);
        CHECK(s->end >= s->addr && s->name[0]);
        CHECK(symbols_find(symbols, s->name, &addr));
        if (s->kind != SYMBOL_ABSOLUTE)
            CHECK(symbols_at(symbols, s->addr, &offset) && offset <= s->addr);
        (void)symbols_function_at(symbols, s->end - 1);
    }
}

static void check_sites(const struct site_table *t, const struct image *im)
{
    for (uint32_t id = 0; id < site_count(t); id++) {
        const struct site *s = site_get(t, id);
        uint64_t pa;

        CHECK(!id || site_get(t, id - 1)->va <= s->va);
        CHECK(s->va % 2 == 0 && image_va_to_pa(im, s->va, &pa) && pa == s->pa);
        CHECK(site_find(t, s->pa, 2) != NO_SITE);
    }
}

static void look_around(const struct image *im, const struct diag *d)
{
    struct symbols *symbols = symbols_from_elf(im->file.bytes, im->file.size);
    struct site_table *sites = site_table_new(im, symbols, d);

    check_symbols(symbols);
    check_sites(sites, im);
    site_table_free(sites);
    symbols_free(symbols);
}

/* Exactly one line for a refusal. */
static void check_said(FILE *out, const char *said, enum exit_status status)
{
    const char *end;

    fflush(out);
    end = strchr(said, '\n');
    CHECK(status == EXIT_BAD_FILE || status == EXIT_PASS);
    CHECK(status == EXIT_PASS || (end && !end[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char said[SAID_MAX] = "";
    struct diag d = {.out = fmemopen(said, sizeof said, "w"), .program = "fuzz"};
    struct image *im = NULL;
    enum exit_status status = image_open(scratch_file(SCRATCH_IMAGE, bytes, size), RAM, &d, &im);

    check_said(d.out, said, status);
    if (status == EXIT_PASS) {
        check_image(im);
        load(im, &d);
        look_around(im, &d);
        image_free(im);
    }
    fclose(d.out);
    return 0;
}

/* ---- inputs that are almost valid ---- */

static uint64_t field_value(struct rng *rng, size_t size)
{
    const uint64_t values[] = {0,
                               1,
                               2,
                               8,
                               64,
                               0xffff,
                               UINT32_MAX,
                               INT64_MAX,
                               UINT64_MAX,
                               UINT64_MAX - 7,
                               RAM,
                               RAM - 1,
                               RAM + RAM_BYTES,
                               size,
                               size - 1,
                               size + 1,
                               rng_below(rng, size + 1),
                               rng_next(rng)};

    return values[rng_below(rng, ARRAY_LEN(values))];
}

/* The offset of a table entry by the header; 0, that of the header, if it is outside of the file.
 */
static size_t random_entry(struct rng *rng, const uint8_t *bytes, size_t size)
{
    Elf64_Ehdr h;
    uint64_t at;

    memcpy(&h, bytes, sizeof h);
    switch (rng_below(rng, 4)) {
    case 0: return 0;
    case 1: at = h.e_phoff + rng_below(rng, h.e_phnum + 1U) * sizeof(Elf64_Phdr); break;
    case 2: at = h.e_shoff + rng_below(rng, h.e_shnum + 1U) * sizeof(Elf64_Shdr); break;
    default: at = rng_below(rng, size) & ~UINT64_C(7); break;
    }
    return at < size ? (size_t)at : 0;
}

/* Changes one field of a header or of an entry, or any bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    struct rng rng = {seed};
    size_t width = (size_t)2 << rng_below(&rng, 3), at;
    uint64_t value;

    if (size < sizeof(Elf64_Ehdr) || rng_below(&rng, 3) == 0)
        return LLVMFuzzerMutate(bytes, size, room);
    at = random_entry(&rng, bytes, size) + width * rng_below(&rng, 64 / width);
    value = field_value(&rng, size);
    if (at + width > size)
        return LLVMFuzzerMutate(bytes, size, room);
    memcpy(bytes + at, &value, width);
    return size;
}
