/*
 * raw.c - images without an ELF header: one segment, entered at its start.
 *
 * Recognises Linux's Image header (Documentation/riscv/boot-image-header.rst),
 * with the EFI header after it that says which part is code, and, so that
 * they are refused with a remedy, compressed files.
 */
#include <endian.h>
#include <string.h>

#include "load/image_priv.h"

/* The header's fields; all little-endian. */
enum { TEXT_OFFSET = 0x08, IMAGE_SIZE = 0x10, FLAGS = 0x18, MAGIC2 = 0x38, HEADER_BYTES = 0x40 };
enum { FLAG_BIG_ENDIAN = 1 };

/* Offsets in the PE header for EFI, of the fields that are used. */
enum {
    PE_HEADER_AT = 0x3c,
    PE_SECTIONS = 6,       /* number of sections */
    PE_OPTIONAL_SIZE = 20, /* size of the optional header, which the section table follows */
    PE_HEADER_BYTES = 24,
    SECTION_SIZE = 8,
    SECTION_AT = 12, /* from the start of the image */
    SECTION_FLAGS = 36,
    SECTION_BYTES = 40,
};
static const uint32_t SECTION_EXECUTABLE = 0x20000000;

static const uint64_t GIB = UINT64_C(1) << 30;

static const struct packing {
    const char *name, *remedy;
    unsigned at; /* offset of the magic number */
    size_t len;
    uint8_t magic[6];
} packings[] = {
    {"gzip", "unpack it with gzip -dc", 0, 3, {0x1f, 0x8b, 8}},
    {"zstd", "unpack it with zstd -dc", 0, 4, {0x28, 0xb5, 0x2f, 0xfd}},
    {"xz", "unpack it with xz -dc", 0, 6, {0xfd, '7', 'z', 'X', 'Z', 0}},
    {"bzip2", "unpack it with bzip2 -dc", 0, 3, {'B', 'Z', 'h'}},
    {"LZ4", "unpack it with lz4 -dc", 0, 4, {0x04, 0x22, 0x4d, 0x18}},
    {"LZ4", "unpack it with lz4 -dc", 0, 4, {0x02, 0x21, 0x4c, 0x18}},
    {"EFI zboot", "take the Image or vmlinux of the same build", 4, 4, {'z', 'i', 'm', 'g'}},
};

static const struct packing *find_packing(const struct file *f)
{
    for (size_t i = 0; i < ARRAY_LEN(packings); i++) {
        const struct packing *p = &packings[i];

        if (f->size >= p->at + p->len && memcmp(f->bytes + p->at, p->magic, p->len) == 0)
            return p;
    }
    return NULL;
}

/* Whether the file begins with lines of ASCII: code has bytes of other values among its first ones.
 */
static bool is_text(const struct file *f)
{
    enum { ENOUGH = 4096 };
    size_t size = f->size < ENOUGH ? f->size : ENOUGH;

    for (size_t i = 0; i < size; i++) {
        uint8_t byte = f->bytes[i];

        if (byte >= 0x7f || (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r'))
            return false;
    }
    return memchr(f->bytes, '\n', size);
}

static uint64_t field(const uint8_t *header, size_t offset)
{
    uint64_t value;

    memcpy(&value, header + offset, sizeof value);
    return le64toh(value);
}

static bool is_linux(const uint8_t *bytes, size_t size)
{
    return size >= HEADER_BYTES && memcmp(bytes + MAGIC2, "RSC\x05", 4) == 0;
}

bool raw_linux_place(const uint8_t *bytes, size_t size, uint64_t base, uint64_t *pa)
{
    if (!is_linux(bytes, size))
        return false;
    *pa = base;
    if (base % GIB == 0 && __builtin_add_overflow(base, field(bytes, TEXT_OFFSET), pa))
        *pa = UINT64_MAX; /* overflow: a load address that never fits */
    return true;
}

/*
 * Uses the Image header. Its image_size includes .bss, which is not in the file; it is 0 in kernels
 * before 5.10. Returns an error with its remedy; NULL: none.
 */
static const char *use_linux_header(struct image *im, struct image_segment *s)
{
    uint64_t size = field(im->file.bytes, IMAGE_SIZE);

    if (field(im->file.bytes, FLAGS) & FLAG_BIG_ENDIAN)
        return "is a big-endian kernel; build it little-endian";
    im->kind = IMAGE_LINUX;
    if (size > s->mem_size)
        s->mem_size = size;
    if (s->mem_size > UINT64_MAX - s->pa)
        return "has a Linux header with impossible sizes; build it anew";
    return NULL;
}

static uint32_t number(const uint8_t *at, size_t size)
{
    uint32_t value = 0;

    memcpy(&value, at, size);
    return le32toh(value);
}

/* The `size` bytes at an offset of the file; NULL: the file is shorter. */
static const uint8_t *bytes_at(const struct file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->bytes + offset : NULL;
}

static void add_section(struct image *im, const struct image_segment *s, const uint8_t *section)
{
    uint64_t at = number(section + SECTION_AT, 4), size = number(section + SECTION_SIZE, 4);

    if (!(number(section + SECTION_FLAGS, 4) & SECTION_EXECUTABLE) || at >= s->file_size)
        return;
    if (size > s->file_size - at)
        size = s->file_size - at;
    if (size)
        image_add_text(im, (struct image_text){s->pa + at, s->va + at, size});
}

/*
 * Adds the executable sections of the EFI header as texts. Otherwise all of the kernel would count
 * as code, and stores to its data would be slow.
 */
static void add_efi_texts(struct image *im, const struct image_segment *s)
{
    uint64_t start = number(im->file.bytes + PE_HEADER_AT, 4), table;
    const uint8_t *header = bytes_at(&im->file, start, PE_HEADER_BYTES), *section;

    if (!header || memcmp(header, "PE\0", 4) != 0)
        return;
    table = start + PE_HEADER_BYTES + number(header + PE_OPTIONAL_SIZE, 2);
    for (unsigned i = 0; i < number(header + PE_SECTIONS, 2); i++) {
        section = bytes_at(&im->file, table + i * SECTION_BYTES, SECTION_BYTES);
        if (section)
            add_section(im, s, section);
    }
}

enum exit_status raw_read_image(struct image *im, uint64_t base, const struct diag *d)
{
    struct image_segment s = {
        .pa = base,
        .file_size = im->file.size,
        .mem_size = im->file.size,
        .flags = IMAGE_R | IMAGE_W | IMAGE_X,
    };
    const struct packing *packing = find_packing(&im->file);

    if (packing) {
        diag_error(d, "%s: is compressed (%s); %s", im->path, packing->name, packing->remedy);
        return EXIT_BAD_FILE;
    }
    if (is_text(&im->file)) {
        diag_error(d, "%s: is a text file; give an ELF or a raw image", im->path);
        return EXIT_BAD_FILE;
    }
    im->kind = IMAGE_RAW;
    if (raw_linux_place(im->file.bytes, im->file.size, base, &s.pa)) {
        const char *wrong = use_linux_header(im, &s);

        if (wrong) {
            diag_error(d, "%s: %s", im->path, wrong);
            return EXIT_BAD_FILE;
        }
    }
    s.va = im->entry = im->entry_va = s.pa;
    image_add_segment(im, s);
    if (im->kind == IMAGE_LINUX)
        add_efi_texts(im, &s);
    return EXIT_PASS;
}
