/*
 * image.c - see image.h. What is common to both kinds of image.
 */
#include "load/image.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "load/image_priv.h"
#include "mem/bus.h"

void image_add_segment(struct image *im, struct image_segment segment)
{
    im->segments = xrealloc(im->segments, (im->segment_count + 1) * sizeof *im->segments);
    im->segments[im->segment_count++] = segment;
}

void image_add_text(struct image *im, struct image_text text)
{
    im->texts = xrealloc(im->texts, (im->text_count + 1) * sizeof *im->texts);
    im->texts[im->text_count++] = text;
}

/* Where no section says which bytes are code, the executable segments are. */
static void default_texts(struct image *im)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if ((s->flags & IMAGE_X) && s->file_size)
            image_add_text(im, (struct image_text){s->pa, s->va, s->file_size});
    }
}

static enum exit_status read_image(struct image *im, uint64_t raw_base, const struct diag *d)
{
    enum exit_status status;

    if (!im->file.size) {
        diag_error(d, "%s: is empty; give an ELF or a raw image", im->path);
        return EXIT_BAD_FILE;
    }
    status =
        elf_is_elf(&im->file) ? elf_read_image(im, raw_base, d) : raw_read_image(im, raw_base, d);
    if (status == EXIT_PASS && !im->text_count)
        default_texts(im);
    return status;
}

enum exit_status image_open(const char *path, uint64_t raw_base, const struct diag *d,
                            struct image **out)
{
    struct image *im = xcalloc(1, sizeof *im);
    enum exit_status status;

    im->path = xstrdup(path);
    status = file_read(path, d, &im->file);
    if (status == EXIT_PASS)
        status = read_image(im, raw_base, d);
    if (status != EXIT_PASS) {
        image_free(im);
        return status;
    }
    im->hash = fnv1a(FNV1A_START, im->file.bytes, im->file.size);
    *out = im;
    return EXIT_PASS;
}

void image_free(struct image *im)
{
    if (!im)
        return;
    file_free(&im->file);
    free(im->segments);
    free(im->texts);
    free(im->path);
    free(im);
}

/* Said before anything is written, so that a refused image leaves no traces. */
static bool fits(const struct image *im, const struct image_segment *s, const struct ram *r,
                 const struct diag *d)
{
    if (ram_has(r, s->pa, s->mem_size) || ram_has(r, s->pa + s->headers, s->mem_size - s->headers))
        return true;
    diag_error(d,
               "%s: segment %u at 0x%" PRIx64 " (0x%" PRIx64
               " bytes) lies outside of RAM (0x%" PRIx64 " to 0x%" PRIx64
               "); link it into RAM or give more --memory",
               im->path, s->index, s->pa, s->mem_size, r->base, r->base + r->size - 1);
    return false;
}

static void zero(struct bus *b, uint64_t pa, uint64_t size, const struct writer *who)
{
    static const uint8_t zeros[PAGE_BYTES];

    for (uint64_t done = 0; done < size;) {
        size_t piece = size - done < sizeof zeros ? size - done : sizeof zeros;
        bool in_ram = bus_write(b, pa + done, zeros, piece, who);

        assert(in_ram);
        (void)in_ram;
        done += piece;
    }
}

/* Headers that would lie below RAM are left out; no program of that link needs them. */
static void load_segment(const struct image *im, const struct image_segment *s, struct bus *b)
{
    static const struct writer loader = {.kind = WRITER_LOADER};
    uint64_t skip = bus_ram_at(b, s->pa) ? 0 : s->headers;
    bool in_ram =
        bus_write(b, s->pa + skip, im->file.bytes + s->offset + skip, s->file_size - skip, &loader);

    assert(in_ram);
    (void)in_ram;
    zero(b, s->pa + s->file_size, s->mem_size - s->file_size, &loader);
}

enum exit_status image_load(const struct image *im, struct bus *b, const struct diag *d)
{
    const struct ram *r = bus_ram(b);

    assert(r);
    for (size_t i = 0; i < im->segment_count; i++)
        if (!fits(im, &im->segments[i], r, d))
            return EXIT_BAD_FILE;
    for (size_t i = 0; i < im->segment_count; i++)
        load_segment(im, &im->segments[i], b);
    return EXIT_PASS;
}

uint64_t image_hash(const struct image *im)
{
    return im->hash;
}

bool image_covers(const struct image *im, uint64_t pa)
{
    uint64_t va;

    return image_pa_to_va(im, pa, &va);
}

bool image_va_to_pa(const struct image *im, uint64_t va, uint64_t *pa)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if (va >= s->va && va - s->va < s->mem_size) {
            *pa = s->pa + (va - s->va);
            return true;
        }
    }
    return false;
}

bool image_pa_to_va(const struct image *im, uint64_t pa, uint64_t *va)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if (pa >= s->pa && pa - s->pa < s->mem_size) {
            *va = s->va + (pa - s->pa);
            return true;
        }
    }
    return false;
}
