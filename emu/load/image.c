/*
 * image.c - see image.h. The code that ELF and raw images share.
 */
#include "load/image.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/hash.h"
#include "load/btf_priv.h"
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

/* Without sections the executable segments count as code. */
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
    if (status == EXIT_PASS && im->kind == IMAGE_RAW)
        im->btf_at = btf_header_at(im->file.bytes, im->file.size);
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

/* A raw image has one segment. */
void image_link_at(struct image *im, uint64_t va)
{
    if (im->kind != IMAGE_LINUX || va % PAGE_BYTES || im->segments[0].mem_size > UINT64_MAX - va)
        return;
    for (size_t i = 0; i < im->text_count; i++)
        im->texts[i].va = va + (im->texts[i].pa - im->segments[0].pa);
    im->segments[0].va = im->entry_va = va;
}

void image_remedy(char text[IMAGE_REMEDY], uint64_t ram_base, uint64_t start, uint64_t end,
                  const struct image_room *room)
{
    uint64_t needed = end - ram_base + room->above;

    if (start < ram_base)
        snprintf(text, IMAGE_REMEDY, "link it at 0x%" PRIx64 " or higher", ram_base);
    else if (end > room->end_max || end < start)
        snprintf(text, IMAGE_REMEDY, "link it to end below 0x%" PRIx64 "; more --memory is no help",
                 room->end_max);
    else
        snprintf(text, IMAGE_REMEDY, "give --memory %" PRIu64 "M or more",
                 (needed + (1 << 20) - 1) >> 20);
}

/* Checked for all segments before one is written, so that a refused image changes nothing. */
static bool fits(const struct image *im, const struct image_segment *s, const struct ram *r,
                 const struct image_room *room, const struct diag *d)
{
    char remedy[IMAGE_REMEDY];

    if (ram_has(r, s->pa, s->mem_size) || ram_has(r, s->pa + s->headers, s->mem_size - s->headers))
        return true;
    image_remedy(remedy, r->base, s->pa, s->pa + s->mem_size, room);
    diag_error(d,
               "%s: segment %u at 0x%" PRIx64 " (0x%" PRIx64
               " bytes) lies outside of RAM (0x%" PRIx64 " to 0x%" PRIx64 "); %s",
               im->path, s->index, s->pa, s->mem_size, r->base, r->base + r->size - 1, remedy);
    return false;
}

static const uint8_t zeros[PAGE_BYTES];

static void put(struct bus *b, uint64_t pa, const uint8_t *bytes, uint64_t size)
{
    static const struct writer loader = {.kind = WRITER_LOADER};
    bool in_ram = bus_write(b, pa, bytes, size, &loader);

    assert(in_ram);
    (void)in_ram;
}

static void put_zeros(struct bus *b, uint64_t pa, uint64_t size)
{
    for (uint64_t done = 0; done < size; done += PAGE_BYTES)
        put(b, pa + done, zeros, size - done < PAGE_BYTES ? size - done : PAGE_BYTES);
}

/*
 * Makes [pa, pa + size) zero. RAM is new, so only bytes that the first `count` segments have
 * written can be other than zero; the rest is not touched and takes no host memory.
 */
static void clear(const struct image *im, size_t count, struct bus *b, uint64_t pa, uint64_t size)
{
    for (size_t i = 0; i < count; i++) {
        const struct image_segment *s = &im->segments[i];
        uint64_t from = s->pa > pa ? s->pa : pa, end = s->pa + s->file_size;

        if (end > pa + size)
            end = pa + size;
        if (from < end)
            put_zeros(b, from, end - from);
    }
}

/*
 * Copies the bytes of segment `index` from the file, without the first `skip`. Pages of zeroes are
 * not written, so they take no host memory.
 */
static void load_bytes(const struct image *im, size_t index, uint64_t skip, struct bus *b)
{
    const struct image_segment *s = &im->segments[index];

    for (uint64_t done = skip, piece; done < s->file_size; done += piece) {
        const uint8_t *from = im->file.bytes + s->offset + done;
        uint64_t pa = s->pa + done;

        piece = PAGE_BYTES - pa % PAGE_BYTES;
        if (piece > s->file_size - done)
            piece = s->file_size - done;
        if (memcmp(from, zeros, piece) != 0)
            put(b, pa, from, piece);
        else
            clear(im, index, b, pa, piece);
    }
}

/* The ELF's headers are left out if they would lie below RAM: the program does not need them. */
static void load_segment(const struct image *im, size_t index, struct bus *b)
{
    const struct image_segment *s = &im->segments[index];

    load_bytes(im, index, bus_ram_at(b, s->pa) ? 0 : s->headers, b);
    clear(im, index, b, s->pa + s->file_size, s->mem_size - s->file_size);
}

enum exit_status image_load(const struct image *im, struct bus *b, const struct image_room *room,
                            const struct diag *d)
{
    const struct ram *r = bus_ram(b);

    assert(r);
    for (size_t i = 0; i < im->segment_count; i++)
        if (!fits(im, &im->segments[i], r, room, d))
            return EXIT_BAD_FILE;
    for (size_t i = 0; i < im->segment_count; i++)
        load_segment(im, i, b);
    return EXIT_PASS;
}

void image_forget_names(struct image *im, bool keep_hash)
{
    if (im->kind != IMAGE_ELF || im->forgotten)
        return;
    im->digest = image_digest(im);
    im->hash = keep_hash ? image_hash(im) : 0;
    elf_forget_names(im);
    im->forgotten = true;
}

struct file image_btf(const struct image *im)
{
    return (struct file){im->file.bytes + im->btf_at, im->file.size - im->btf_at};
}

uint64_t image_hash(const struct image *im)
{
    if (im->forgotten)
        return im->hash;
    return fnv1a(FNV1A_START, im->file.bytes, im->file.size);
}

uint64_t image_digest(const struct image *im)
{
    if (im->forgotten)
        return im->digest;
    return digest_end(digest_pages(0, 0, im->file.bytes, im->file.size), im->file.size);
}

bool image_covers(const struct image *im, uint64_t pa)
{
    uint64_t va;

    return image_pa_to_va(im, pa, &va);
}

uint64_t image_lowest(const struct image *im)
{
    uint64_t lowest = UINT64_MAX;

    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        lowest = s->va < lowest ? s->va : lowest;
        lowest = s->pa < lowest ? s->pa : lowest;
    }
    return lowest;
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

bool image_read(const struct image *im, uint64_t va, void *to, size_t len)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if (va < s->va || va - s->va >= s->file_size || len > s->file_size - (va - s->va))
            continue;
        memcpy(to, im->file.bytes + s->offset + (va - s->va), len);
        return true;
    }
    return false;
}

bool image_is_text(const struct image *im, uint64_t va, uint64_t size)
{
    for (size_t i = 0; i < im->text_count; i++)
        if (va >= im->texts[i].va && va - im->texts[i].va < im->texts[i].size &&
            size <= im->texts[i].size - (va - im->texts[i].va))
            return true;
    return false;
}
