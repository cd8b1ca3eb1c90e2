/*
 * test_image.c - what is loaded, what is refused, and the messages.
 *
 * The ELF is laid out by hand, so that each test can damage one field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/image.h"
#include "mem/bus.h"

#define RAM_BASE UINT64_C(0x80000000)
#define HIGH_VA  UINT64_C(0xffffffff80200000)

enum { RAM_SIZE = 4 << 20, TEXT_PA = 0x80200000, DATA_PA = 0x80201000, BSS_BYTES = 0x2010 };

/* A tiny kernel: high virtual addresses, low physical ones. */
struct sample {
    Elf64_Ehdr h;
    Elf64_Phdr ph[3];
    uint8_t text[64], data[16];
    Elf64_Sym sym[3];
    char str[24];
    Elf64_Shdr sh[5];
};

struct world {
    char path[32];
    char *said;
    size_t said_len;
    struct diag d;
    struct image *im;
};

static void fill_segments(struct sample *s)
{
    s->ph[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_memsz = 1};
    s->ph[1] = (Elf64_Phdr){
        .p_type = PT_LOAD,
        .p_flags = PF_R | PF_X,
        .p_offset = offsetof(struct sample, text),
        .p_vaddr = HIGH_VA,
        .p_paddr = TEXT_PA,
        .p_filesz = sizeof s->text,
        .p_memsz = sizeof s->text,
    };
    s->ph[2] = (Elf64_Phdr){
        .p_type = PT_LOAD,
        .p_flags = PF_R | PF_W,
        .p_offset = offsetof(struct sample, data),
        .p_vaddr = HIGH_VA + 0x1000,
        .p_paddr = DATA_PA,
        .p_filesz = sizeof s->data,
        .p_memsz = sizeof s->data + BSS_BYTES,
    };
}

static void fill_sections(struct sample *s)
{
    memcpy(s->str, "\0tohost\0fromhost", 17);
    s->sym[1] = (Elf64_Sym){.st_name = 1, .st_shndx = 2, .st_value = HIGH_VA + 0x1008};
    s->sym[2] = (Elf64_Sym){.st_name = 8, .st_shndx = 2, .st_value = HIGH_VA + 0x1100};
    s->sh[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                            .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                            .sh_addr = HIGH_VA + 8,
                            .sh_offset = offsetof(struct sample, text) + 8,
                            .sh_size = 16};
    s->sh[2] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                            .sh_flags = SHF_ALLOC | SHF_WRITE,
                            .sh_addr = HIGH_VA + 0x1000,
                            .sh_offset = offsetof(struct sample, data),
                            .sh_size = 16};
    s->sh[3] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                            .sh_offset = offsetof(struct sample, sym),
                            .sh_size = sizeof s->sym,
                            .sh_entsize = sizeof s->sym[0],
                            .sh_link = 4};
    s->sh[4] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct sample, str), .sh_size = sizeof s->str};
}

static struct sample sample(void)
{
    struct sample s = {0};

    memcpy(s.h.e_ident, ELFMAG, SELFMAG);
    s.h.e_ident[EI_CLASS] = ELFCLASS64;
    s.h.e_ident[EI_DATA] = ELFDATA2LSB;
    s.h.e_ident[EI_VERSION] = EV_CURRENT;
    s.h.e_type = ET_EXEC;
    s.h.e_machine = EM_RISCV;
    s.h.e_version = EV_CURRENT;
    s.h.e_entry = HIGH_VA + 4;
    s.h.e_ehsize = sizeof s.h;
    s.h.e_phoff = offsetof(struct sample, ph);
    s.h.e_phentsize = sizeof s.ph[0];
    s.h.e_phnum = 3;
    s.h.e_shoff = offsetof(struct sample, sh);
    s.h.e_shentsize = sizeof s.sh[0];
    s.h.e_shnum = 5;
    fill_segments(&s);
    fill_sections(&s);
    memset(s.text, 0x13, sizeof s.text);
    memset(s.data, 0xda, sizeof s.data);
    return s;
}

static const struct image_room room = {RAM_BASE + 2 * RAM_SIZE, 0};

static void build(struct world *w, const void *bytes, size_t len)
{
    int fd;

    *w = (struct world){.path = "/tmp/test_image_XXXXXX"};
    fd = mkstemp(w->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    close(fd);
    w->d = (struct diag){.out = open_memstream(&w->said, &w->said_len), .program = "t"};
}

static enum exit_status open_at(struct world *w, uint64_t base)
{
    enum exit_status status = image_open(w->path, base, &w->d, &w->im);

    fflush(w->d.out);
    return status;
}

static void wreck(struct world *w)
{
    image_free(w->im);
    fclose(w->d.out);
    free(w->said);
    unlink(w->path);
}

static unsigned lines_in(const char *text)
{
    unsigned count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* The file is refused with 65, one line, and that line names file and reason. */
static void expect_refusal(const void *bytes, size_t len, const char *reason)
{
    struct world w;

    build(&w, bytes, len);
    assert_int_equal(open_at(&w, RAM_BASE), EXIT_BAD_FILE);
    assert_null(w.im);
    assert_int_equal(lines_in(w.said), 1);
    assert_non_null(strstr(w.said, w.path));
    assert_non_null(strstr(w.said, "; "));
    if (!strstr(w.said, reason))
        fail_msg("no '%s' in '%s'", reason, w.said);
    wreck(&w);
}

static struct bus *new_bus(void)
{
    struct bus *b = bus_new();

    assert_true(bus_map_ram(b, ram_new(RAM_BASE, RAM_SIZE), NULL));
    return b;
}

static void a_virtual_entry_becomes_physical(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(w.im->kind, IMAGE_ELF);
    assert_int_equal(w.im->entry, TEXT_PA + 4);
    assert_true(w.im->entry_va == HIGH_VA + 4);
    assert_int_equal(w.said_len, 0);
    wreck(&w);
}

static void an_entry_outside_of_the_segments_stays_as_it_is(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    s.h.e_entry = 0x80200010; /* the physical address, as Linux's vmlinux may have it */
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(w.im->entry, 0x80200010);
    wreck(&w);
}

static void only_load_segments_are_kept_with_their_numbers(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(w.im->segment_count, 2);
    assert_int_equal(w.im->segments[0].index, 1);
    assert_int_equal(w.im->segments[0].flags, IMAGE_R | IMAGE_X);
    assert_int_equal(w.im->segments[1].pa, DATA_PA);
    assert_int_equal(w.im->segments[1].mem_size, sizeof s.data + BSS_BYTES);
    assert_true(image_covers(w.im, TEXT_PA) && image_covers(w.im, DATA_PA + BSS_BYTES));
    assert_false(image_covers(w.im, TEXT_PA + sizeof s.text));
    wreck(&w);
}

static void executable_sections_are_the_text(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(w.im->text_count, 1);
    assert_int_equal(w.im->texts[0].pa, TEXT_PA + 8);
    assert_true(w.im->texts[0].va == HIGH_VA + 8);
    assert_int_equal(w.im->texts[0].size, 16);
    wreck(&w);
}

static void without_sections_executable_segments_are_the_text(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    s.h.e_shoff = s.h.e_shnum = 0;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(w.im->text_count, 1);
    assert_int_equal(w.im->texts[0].pa, TEXT_PA);
    assert_int_equal(w.im->texts[0].size, sizeof s.text);
    assert_false(w.im->has_tohost);
    wreck(&w);
}

static void the_host_symbols_are_found_at_physical_addresses(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_true(w.im->has_tohost && w.im->has_fromhost);
    assert_int_equal(w.im->tohost, DATA_PA + 8);
    assert_int_equal(w.im->fromhost, DATA_PA + 0x100);
    wreck(&w);
}

static void loading_copies_the_file_and_zeroes_the_rest(void **state)
{
    struct sample s = sample();
    struct bus *b = new_bus();
    struct world w;
    uint8_t memory[0x4000];

    (void)state;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(image_load(w.im, b, &room, &w.d), EXIT_PASS);
    assert_true(bus_read(b, TEXT_PA, memory, sizeof memory));
    assert_memory_equal(memory, s.text, sizeof s.text);
    assert_memory_equal(memory + 0x1000, s.data, sizeof s.data);
    for (size_t i = sizeof s.data; i < sizeof s.data + BSS_BYTES; i++)
        assert_int_equal(memory[0x1000 + i], 0);
    wreck(&w);
    bus_free(b);
}

static void zeroes_replace_what_an_earlier_segment_brought(void **state)
{
    struct sample s = sample();
    struct bus *b = new_bus();
    struct world w;
    uint8_t memory[sizeof s.text];

    (void)state;
    s.ph[2].p_paddr = TEXT_PA - sizeof s.data - 8; /* its .bss lies over the text */
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(image_load(w.im, b, &room, &w.d), EXIT_PASS);
    assert_true(bus_read(b, TEXT_PA, memory, sizeof memory));
    for (size_t i = 0; i < sizeof memory && i < BSS_BYTES - 8; i++)
        assert_int_equal(memory[i], 0);
    wreck(&w);
    bus_free(b);
}

static void zeroes_take_no_memory(void **state)
{
    struct sample s = sample();
    struct bus *b = new_bus();
    unsigned char given[RAM_SIZE / PAGE_BYTES];
    unsigned pages = 0;
    struct world w;

    (void)state;
    s.ph[2].p_memsz = RAM_SIZE / 4;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    (void)madvise(bus_ram(b)->bytes, RAM_SIZE, MADV_NOHUGEPAGE);
    assert_int_equal(image_load(w.im, b, &room, &w.d), EXIT_PASS);
    assert_int_equal(mincore(bus_ram(b)->bytes, RAM_SIZE, given), 0);
    for (size_t i = 0; i < sizeof given; i++)
        pages += given[i] & 1;
    assert_in_range(pages, 1, 4);
    wreck(&w);
    bus_free(b);
}

static void a_segment_outside_of_ram_is_named_and_nothing_is_written(void **state)
{
    struct sample s = sample();
    struct bus *b = new_bus();
    struct world w;
    uint8_t first = 1;

    (void)state;
    s.ph[2].p_paddr = RAM_BASE + RAM_SIZE - 0x10;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(image_load(w.im, b, &room, &w.d), EXIT_BAD_FILE);
    fflush(w.d.out);
    assert_int_equal(lines_in(w.said), 1);
    assert_non_null(strstr(w.said, "segment 2 at 0x803ffff0"));
    assert_non_null(strstr(w.said, "0x80000000 to 0x803fffff"));
    assert_true(bus_read(b, TEXT_PA, &first, 1));
    assert_int_equal(first, 0);
    wreck(&w);
    bus_free(b);
}

static void a_raw_file_is_one_segment_at_the_base_given(void **state)
{
    struct world w;

    (void)state;
    build(&w, "\x13\0\0\0", 4);
    assert_int_equal(open_at(&w, 0x80200000), EXIT_PASS);
    assert_int_equal(w.im->kind, IMAGE_RAW);
    assert_int_equal(w.im->entry, 0x80200000);
    assert_int_equal(w.im->segments[0].mem_size, 4);
    assert_int_equal(w.im->texts[0].size, 4);
    wreck(&w);
}

static void a_linux_image_counts_from_the_start_of_ram(void **state)
{
    static const uint64_t text_offset = 0x200000, image_size = 0x9000;
    uint8_t kernel[0x80] = {0};
    struct world w;

    (void)state;
    memcpy(kernel + 0x08, &text_offset, 8);
    memcpy(kernel + 0x10, &image_size, 8);
    memcpy(kernel + 0x38, "RSC\x05", 4);
    build(&w, kernel, sizeof kernel);
    assert_int_equal(open_at(&w, RAM_BASE), EXIT_PASS);
    assert_int_equal(w.im->kind, IMAGE_LINUX);
    assert_int_equal(w.im->entry, 0x80200000);
    assert_int_equal(w.im->segments[0].mem_size, image_size);
    image_free(w.im);
    assert_int_equal(open_at(&w, 0x80400000), EXIT_PASS); /* the option has precedence */
    assert_int_equal(w.im->entry, 0x80400000);
    wreck(&w);
}

/* As with the EFI stub: a section of code, one of data, and a section table. */
struct efi_kernel {
    uint8_t linux_header[0x3c];
    uint32_t pe_at;
    char magic[4];
    uint16_t machine, section_count;
    uint32_t unused[3];
    uint16_t optional_size, flags;
    uint8_t optional[8];
    struct efi_section {
        char name[8];
        uint32_t size, at, file_size, file_at, relocations[3], flags;
    } sections[2];
    uint8_t rest[0x1000];
};

static struct efi_kernel efi_kernel(void)
{
    struct efi_kernel k = {
        .pe_at = offsetof(struct efi_kernel, magic),
        .magic = "PE",
        .section_count = 2,
        .optional_size = sizeof k.optional,
        .sections = {{".text", 0x300, 0x100, 0x300, 0x100, {0}, 0x60000020},
                     {".data", 0x400, 0x400, 0x400, 0x400, {0}, 0xc0000040}},
    };

    memcpy(k.linux_header + 0x38, "RSC\x05", 4);
    return k;
}

static void of_a_linux_image_for_efi_the_code_is_code(void **state)
{
    struct efi_kernel k = efi_kernel();
    struct world w;

    (void)state;
    build(&w, &k, sizeof k);
    assert_int_equal(open_at(&w, 0x80200000), EXIT_PASS);
    assert_int_equal(w.im->segment_count, 1);
    assert_int_equal(w.im->text_count, 1);
    assert_int_equal(w.im->texts[0].pa, 0x80200100);
    assert_int_equal(w.im->texts[0].va, 0x80200100);
    assert_int_equal(w.im->texts[0].size, 0x300);
    wreck(&w);
}

static void a_linux_image_lies_where_its_symbols_say(void **state)
{
    struct efi_kernel k;
    struct world w;
    uint64_t pa;

    (void)state;
    k = efi_kernel();
    build(&w, &k, sizeof k);
    assert_int_equal(open_at(&w, 0x80200000), EXIT_PASS);
    image_link_at(w.im, 0xffffffff80000123); /* not page-aligned: not the start of an image */
    assert_int_equal(w.im->segments[0].va, 0x80200000);
    image_link_at(w.im, 0xffffffff80000000);
    assert_int_equal(w.im->texts[0].va, 0xffffffff80000100);
    assert_int_equal(w.im->texts[0].pa, 0x80200100);
    assert_true(image_va_to_pa(w.im, 0xffffffff80000040, &pa));
    assert_int_equal(pa, 0x80200040);
    wreck(&w);
}

static void a_section_for_efi_ends_where_the_file_does(void **state)
{
    struct efi_kernel k = efi_kernel();
    struct world w;

    (void)state;
    k.sections[0].size = UINT32_MAX;
    build(&w, &k, sizeof k);
    assert_int_equal(open_at(&w, 0x80200000), EXIT_PASS);
    assert_int_equal(w.im->texts[0].size, sizeof k - 0x100);
    wreck(&w);
}

static void a_linux_image_with_no_good_table_for_efi_is_all_code(void **state)
{
    struct world w;

    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        struct efi_kernel k = efi_kernel();

        k.pe_at = way == 0 ? UINT32_MAX : k.pe_at;
        k.magic[0] = way == 1 ? 'Q' : k.magic[0];
        k.optional_size = way == 2 ? UINT16_MAX : k.optional_size;
        k.sections[0].at = way == 3 ? UINT32_MAX : k.sections[0].at;
        build(&w, &k, sizeof k);
        assert_int_equal(open_at(&w, 0x80200000), EXIT_PASS);
        assert_int_equal(w.im->text_count, 1);
        assert_int_equal(w.im->texts[0].size, sizeof k);
        wreck(&w);
    }
}

static void vmlinux_goes_where_the_image_made_of_it_does(void **state)
{
    static const uint64_t text_offset = 0x200000;
    struct sample s = sample();
    struct world w;

    (void)state;
    memcpy(s.text + 0x08, &text_offset, 8);
    memcpy(s.text + 0x38, "RSC\x05", 4);
    s.ph[1].p_paddr = 0;
    s.ph[2].p_paddr = 0x1000;
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, RAM_BASE), EXIT_PASS);
    assert_int_equal(w.im->kind, IMAGE_ELF);
    assert_int_equal(w.im->segments[0].pa, 0x80200000);
    assert_int_equal(w.im->segments[1].pa, 0x80201000);
    assert_int_equal(w.im->entry, 0x80200004);
    assert_int_equal(w.im->texts[0].pa, 0x80200008);
    wreck(&w);
    memset(s.text + 0x08, 0xff, 8);
    expect_refusal(&s, sizeof s, "impossible sizes");
}

/* Found by fuzzing: such a segment ended at its own start. */
static void a_linux_header_that_wraps_around_is_refused(void **state)
{
    static const uint64_t huge = UINT64_MAX - 0xfff;
    uint8_t kernel[0x80] = {0};

    (void)state;
    memcpy(kernel + 0x38, "RSC\x05", 4);
    memcpy(kernel + 0x10, &huge, 8);
    expect_refusal(kernel, sizeof kernel, "impossible sizes");
    memset(kernel + 0x10, 0, 8);
    memcpy(kernel + 0x08, &huge, 8);
    expect_refusal(kernel, sizeof kernel, "impossible sizes");
}

static void the_hash_is_fnv1a(void **state)
{
    struct world w;

    (void)state;
    build(&w, "foobar", 6);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_true(image_hash(w.im) == 0x85944171f73967e8); /* the draft's own test vector */
    wreck(&w);
}

static void an_empty_file_is_refused(void **state)
{
    (void)state;
    expect_refusal("", 0, "is empty");
}

static void lines_of_text_are_refused(void **state)
{
    static const char text[] = "first\r\n\tsecond\n";

    (void)state;
    expect_refusal(text, sizeof text - 1, "is a text file");
}

static void an_elf_cut_anywhere_is_refused(void **state)
{
    struct sample s = sample();

    (void)state;
    for (size_t len = SELFMAG; len < sizeof s; len += 4)
        expect_refusal(&s, len, len < 5 ? "truncated" : "");
    expect_refusal(&s, sizeof s - 1, "truncated");
}

static void a_segment_beyond_the_end_is_refused(void **state)
{
    struct sample s = sample();

    (void)state;
    s.ph[2].p_filesz = s.ph[2].p_memsz = sizeof s;
    expect_refusal(&s, sizeof s, "truncated ELF, segment 2");
    s.ph[2].p_offset = UINT64_MAX - 4;
    expect_refusal(&s, sizeof s, "truncated ELF, segment 2");
}

static void impossible_sizes_are_refused(void **state)
{
    struct sample s = sample();

    (void)state;
    s.ph[2].p_memsz = 1;
    expect_refusal(&s, sizeof s, "segment 2 has impossible sizes");
    s.ph[2].p_memsz = UINT64_MAX - 0x1000;
    expect_refusal(&s, sizeof s, "segment 2 has impossible sizes");
}

static void foreign_files_are_refused_by_what_they_are(void **state)
{
    struct sample s = sample();

    (void)state;
    s.h.e_machine = EM_X86_64;
    expect_refusal(&s, sizeof s, "another machine");
    s = sample();
    s.h.e_ident[EI_CLASS] = ELFCLASS32;
    expect_refusal(&s, sizeof s, "32-bit");
    s = sample();
    s.h.e_ident[EI_DATA] = ELFDATA2MSB;
    expect_refusal(&s, sizeof s, "big-endian");
    s = sample();
    s.h.e_type = ET_REL;
    expect_refusal(&s, sizeof s, "object file");
    s = sample();
    s.h.e_type = ET_CORE;
    expect_refusal(&s, sizeof s, "neither an executable");
}

static void an_elf_with_nothing_to_load_is_refused(void **state)
{
    struct sample s = sample();

    (void)state;
    s.ph[1].p_type = s.ph[2].p_type = PT_NOTE;
    expect_refusal(&s, sizeof s, "no segments to load");
    s.h.e_phnum = 0;
    expect_refusal(&s, sizeof s, "no segments to load");
}

static void compressed_images_are_refused_with_their_remedy(void **state)
{
    (void)state;
    expect_refusal("\x1f\x8b\x08\0", 4, "gzip -dc");
    expect_refusal("\x28\xb5\x2f\xfd", 4, "zstd -dc");
    expect_refusal("\3757zXZ\0", 6, "xz -dc");
    expect_refusal("MZ\0\0zimg", 8, "EFI zboot");
}

static void a_missing_file_and_an_unreadable_one_differ(void **state)
{
    struct world w;

    (void)state;
    build(&w, "x", 1);
    assert_int_equal(unlink(w.path), 0);
    assert_int_equal(open_at(&w, 0), EXIT_NO_FILE);
    assert_int_equal(mkdir(w.path, 0700), 0);
    assert_int_equal(open_at(&w, 0), EXIT_IO);
    assert_int_equal(lines_in(w.said), 2);
    assert_int_equal(rmdir(w.path), 0);
    wreck(&w);
}

/* One byte of the headers at a time is set to each of a few values: no crash, one line at most. */
static void no_damaged_header_crashes_the_reader(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

    (void)state;
    for (size_t at = EI_CLASS; at < sizeof(struct sample); at++) {
        for (size_t i = 0; i < sizeof values; i++) {
            struct sample s = sample();
            struct world w;

            ((uint8_t *)&s)[at] = values[i];
            build(&w, &s, sizeof s);
            if (open_at(&w, 0) == EXIT_PASS)
                assert_non_null(w.im);
            else
                assert_int_equal(lines_in(w.said), 1);
            wreck(&w);
        }
    }
}

static void a_segment_of_no_size_is_none(void **state)
{
    struct sample s = sample();
    struct world w;

    (void)state;
    s.ph[2].p_filesz = s.ph[2].p_memsz = 0;
    s.ph[2].p_paddr = 0; /* outside of RAM, which does not matter */
    build(&w, &s, sizeof s);
    assert_int_equal(open_at(&w, 0), EXIT_PASS);
    assert_int_equal(w.im->segment_count, 1);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_virtual_entry_becomes_physical),
        cmocka_unit_test(an_entry_outside_of_the_segments_stays_as_it_is),
        cmocka_unit_test(only_load_segments_are_kept_with_their_numbers),
        cmocka_unit_test(executable_sections_are_the_text),
        cmocka_unit_test(without_sections_executable_segments_are_the_text),
        cmocka_unit_test(the_host_symbols_are_found_at_physical_addresses),
        cmocka_unit_test(loading_copies_the_file_and_zeroes_the_rest),
        cmocka_unit_test(zeroes_replace_what_an_earlier_segment_brought),
        cmocka_unit_test(zeroes_take_no_memory),
        cmocka_unit_test(a_linux_image_lies_where_its_symbols_say),
        cmocka_unit_test(a_segment_outside_of_ram_is_named_and_nothing_is_written),
        cmocka_unit_test(a_raw_file_is_one_segment_at_the_base_given),
        cmocka_unit_test(a_linux_image_counts_from_the_start_of_ram),
        cmocka_unit_test(of_a_linux_image_for_efi_the_code_is_code),
        cmocka_unit_test(a_section_for_efi_ends_where_the_file_does),
        cmocka_unit_test(a_linux_image_with_no_good_table_for_efi_is_all_code),
        cmocka_unit_test(vmlinux_goes_where_the_image_made_of_it_does),
        cmocka_unit_test(a_linux_header_that_wraps_around_is_refused),
        cmocka_unit_test(the_hash_is_fnv1a),
        cmocka_unit_test(an_empty_file_is_refused),
        cmocka_unit_test(lines_of_text_are_refused),
        cmocka_unit_test(an_elf_cut_anywhere_is_refused),
        cmocka_unit_test(a_segment_beyond_the_end_is_refused),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(foreign_files_are_refused_by_what_they_are),
        cmocka_unit_test(an_elf_with_nothing_to_load_is_refused),
        cmocka_unit_test(compressed_images_are_refused_with_their_remedy),
        cmocka_unit_test(a_missing_file_and_an_unreadable_one_differ),
        cmocka_unit_test(no_damaged_header_crashes_the_reader),
        cmocka_unit_test(a_segment_of_no_size_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
