/*
 * image_sort.c - checks and sorts the table of a linked kernel.
 *
 * The table is compared with the code in both directions: each entry must be a call of _mcount, and
 * each call of _mcount must have an entry.  Where the compiler left nops only the first is checked,
 * because these nops look like any others.
 */
#include "call.h"
#include "image.h"
#include "recordmcount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* ---- each entry is a call, or the nops for one ---- */

/* The section and offset of table entry `i`, for a message. */
static size_t slot_place(const struct image *m, size_t i, uint64_t *offset)
{
    return image_section_at(m, m->start.value + i * SLOT_BYTES, offset);
}

/* `bytes`: the code at table entry `i`. */
static int check_nops(const struct image *m, size_t i, const struct request *request,
                      const uint8_t *bytes)
{
    uint64_t offset;
    size_t section = slot_place(m, i, &offset);

    if (call_is_nops(bytes, request->nops))
        return 0;
    return elf_file_bad_at(&m->file, section, offset,
                           "no %u bytes of nops at 0x%" PRIx64 "; compile each file with the "
                           "same -fpatchable-function-entry",
                           request->nops, m->table[i]);
}

static int check_call(const struct image *m, size_t i, const uint8_t *bytes)
{
    const struct elf_file *f = &m->file;
    uint64_t site = m->table[i], offset, target;
    size_t section = slot_place(m, i, &offset);

    if (!call_is_pair(bytes))
        return elf_file_bad_at(f, section, offset,
                               "expected auipc ra, jalr ra at 0x%" PRIx64 ", found %08" PRIx32
                               " %08" PRIx32 "; compile with -mno-relax",
                               site, call_word(bytes), call_word(bytes + 4));
    target = call_target(site, bytes);
    if (!m->mcount.found)
        return elf_file_bad(f, "no symbol %s for the table's calls to go to; link it in",
                            m->symbol);
    if (target != m->mcount.value)
        return elf_file_bad_at(f, section, offset,
                               "the call at 0x%" PRIx64 " goes to 0x%" PRIx64
                               ", %s is at 0x%" PRIx64 "; link it again",
                               site, target, m->symbol, m->mcount.value);
    return 0;
}

static int check_entry(const struct image *m, size_t i, const struct request *request)
{
    uint64_t site = m->table[i], offset;
    size_t section = slot_place(m, i, &offset);
    const struct segment *s = image_segment_at(m, site, request->nops ? request->nops : CALL_BYTES);
    const uint8_t *bytes;

    if (!s || !s->executable || site % 2)
        return elf_file_bad_at(&m->file, section, offset,
                               "0x%" PRIx64 " is not code in an executable segment; link "
                               "without -pie and keep %s out of discarded sections",
                               site, "__mcount_loc");
    if (request->align && site % request->align)
        return elf_file_bad_at(&m->file, section, offset,
                               "0x%" PRIx64 " is not aligned to %u bytes; align each function, and "
                               "have none that is cold",
                               site, request->align);
    bytes = s->bytes + (site - s->address);
    return request->nops ? check_nops(m, i, request, bytes) : check_call(m, i, bytes);
}

static int address_compare(const void *va, const void *vb)
{
    uint64_t a, b;

    memcpy(&a, va, sizeof a);
    memcpy(&b, vb, sizeof b);
    return (a > b) - (a < b);
}

static bool table_is_sorted(const struct image *m)
{
    for (size_t i = 1; i < m->count; i++)
        if (m->table[i] < m->table[i - 1])
            return false;
    return true;
}

static int check_no_duplicates(const struct image *m)
{
    for (size_t i = 1; i < m->count; i++)
        if (m->table[i] == m->table[i - 1])
            return elf_file_bad(&m->file,
                                "0x%" PRIx64 " is in the table twice; link each object once",
                                m->table[i]);
    return 0;
}

/* A relocation that is left for the loader would change the table or code after these checks. */
static int check_no_relocations(const struct image *m)
{
    const struct elf_file *f = &m->file;

    for (size_t i = 1; i < f->sections; i++) {
        Elf_Scn *scn;
        GElf_Shdr header;
        Elf_Data *data;
        GElf_Rela r;
        int status = elf_file_section(f, i, &scn, &header);

        if (!status && header.sh_type == SHT_RELA)
            status = elf_file_data(f, i, &data);
        if (status)
            return status;
        if (header.sh_type != SHT_RELA)
            continue;
        for (int n = 0; gelf_getrela(data, n, &r); n++) {
            uint64_t offset;
            size_t section;

            if (GELF_R_TYPE(r.r_info) == R_RISCV_NONE ||
                r.r_offset - m->start.value >= m->stop.value - m->start.value)
                continue;
            section = image_section_at(m, r.r_offset, &offset);
            return elf_file_bad_at(f, section, offset,
                                   "a relocation still applies to this entry; link without -pie "
                                   "and --emit-relocs");
        }
    }
    return 0;
}

/* ---- each call is an entry ---- */

static bool table_has(const struct image *m, uint64_t site)
{
    return m->count &&
           bsearch(&site, m->table, m->count, sizeof *m->table, address_compare) != NULL;
}

static uint64_t jal_target(uint64_t pc, uint32_t word)
{
    uint64_t offset = (uint64_t)(word >> 31) << 20 | (word & 0xff000) | (word >> 20 & 1) << 11 |
                      (word >> 21 & 0x3ff) << 1;

    return pc + ((offset ^ 0x100000) - 0x100000);
}

static int missed(const struct image *m, size_t section, uint64_t offset, const char *what)
{
    return elf_file_bad_at(&m->file, section, offset,
                           "%s %s that is not in the table; compile its object with -mno-relax "
                           "and give it to recordmcount",
                           what, m->symbol);
}

/*
 * Looks for calls at every even offset, so that data in the text cannot hide one.
 * A false match is practically impossible: at each address the target determines
 * all 64 bits of the call. It would be an error with its address, and not be
 * patched.
 *
 * `jal ra` to _mcount is a call that the linker has relaxed. Only four bytes
 * identify it, so it is looked for on instruction boundaries only, counted from the
 * start of the section.
 */
static int scan_section(const struct image *m, size_t section, uint64_t address,
                        const uint8_t *bytes, uint64_t size_bytes)
{
    uint64_t boundary = 0;

    for (uint64_t at = 0; at + 4 <= size_bytes; at += 2) {
        uint64_t pc = address + at;
        uint32_t word = call_word(bytes + at);

        if (at + CALL_BYTES <= size_bytes && call_is_pair(bytes + at) &&
            call_target(pc, bytes + at) == m->mcount.value && !table_has(m, pc))
            return missed(m, section, at, "a call of");
        if (at != boundary)
            continue;
        if ((word & 0xfff) == 0x0ef && jal_target(pc, word) == m->mcount.value)
            return missed(m, section, at, "a relaxed call (jal) of");
        boundary += (word & 3) == 3 ? 4 : 2;
    }
    return 0;
}

static int check_nothing_missed(const struct image *m)
{
    const struct elf_file *f = &m->file;

    if (!m->mcount.found)
        return 0;
    for (size_t i = 1; i < f->sections; i++) {
        Elf_Scn *scn;
        GElf_Shdr h;
        int status = elf_file_section(f, i, &scn, &h);

        if (!status && h.sh_type == SHT_PROGBITS && (h.sh_flags & SHF_ALLOC) &&
            (h.sh_flags & SHF_EXECINSTR))
            status = scan_section(m, i, h.sh_addr, m->raw + h.sh_offset, h.sh_size);
        if (status)
            return status;
    }
    return 0;
}

static int check_and_sort(struct image *m, const struct request *request)
{
    int status = check_no_relocations(m);

    for (size_t i = 0; !status && i < m->count; i++)
        status = check_entry(m, i, request);
    if (status)
        return status;
    if (m->count)
        qsort(m->table, m->count, sizeof *m->table, address_compare);
    status = check_no_duplicates(m);
    return status || request->nops ? status : check_nothing_missed(m);
}

static int put_table(const struct image *m, int fd)
{
    const struct segment *s = image_segment_at(m, m->start.value, m->count * SLOT_BYTES);
    uint64_t at = (uint64_t)(s->bytes - m->raw) + (m->start.value - s->address);
    uint8_t *bytes = malloc(m->count * SLOT_BYTES);
    ssize_t put;

    if (!bytes)
        return image_out_of_memory(m);
    for (size_t i = 0; i < m->count * SLOT_BYTES; i++)
        bytes[i] = (uint8_t)(m->table[i / SLOT_BYTES] >> i % SLOT_BYTES * 8);
    put = pwrite(fd, bytes, m->count * SLOT_BYTES, (off_t)at);
    free(bytes);
    if (put < 0 || (size_t)put != m->count * SLOT_BYTES)
        return elf_file_fail(m->file.path, EX_IOERR,
                             "cannot write a copy beside it; check the space");
    return 0;
}

static int image_rewrite(const struct image *m)
{
    struct replacement r;
    int status = replacement_begin(&r, &m->file);

    if (status)
        return status;
    status = put_table(m, r.fd);
    if (status) {
        replacement_abandon(&r);
        return status;
    }
    return replacement_commit(&r);
}

int image_sort(const char *path, const struct request *request)
{
    struct image m;
    int status = image_open(&m, path, request->symbol);
    bool sorted = !status && table_is_sorted(&m);

    if (!status)
        status = check_and_sort(&m, request);
    if (!status && !sorted)
        status = image_rewrite(&m);
    if (!status && request->verbose)
        printf("%s: %zu sites %s\n", path, m.count, sorted ? "already sorted" : "sorted");
    image_close(&m);
    return status;
}
