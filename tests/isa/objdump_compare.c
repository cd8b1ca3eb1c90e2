/*
 * objdump_compare.c - compares the disassembler with binutils', word by word.
 *
 *     objdump_compare rows SEED COUNT [EXT] COUNT random words for each row (of an
 *                                           extension), binary
 *     objdump_compare neighbours SEED COUNT a row's words with one fixed bit flipped, COUNT for
 *                                           each bit, then 1000 * COUNT words of no row
 *     objdump_compare parcels               every 16-bit parcel, binary
 *     objdump_compare check DIFFERENCES COVERAGE < objdump's output
 *
 * `check` disassembles each word that objdump shows, at the address shown, and
 * compares the texts. Where they differ, `OURS => THEIRS` must match one of the
 * patterns of the file DIFFERENCES (one basic regular expression a line, '#'
 * before a justification). The patterns that were needed are added to the file
 * COVERAGE, so that the script can tell which ones are unused.
 *
 * Two rules limit the comparison. A word that is illegal for us and for
 * which objdump has a name that is in none of our tables belongs to an
 * extension that the machine does not have, and is left out. So is what an
 * image's mapping symbols declare to be data.
 */
#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"

enum { LINE_MAX_BYTES = 512, DIFFERENCES_MAX = 64, FAILURES_SHOWN = 20 };

/* ---- words to disassemble ---- */

static void write_word(uint32_t word, unsigned size)
{
    for (unsigned n = 0; n < size; n++)
        putchar((int)(word >> 8 * n & 0xff));
}

/* A word of the row: fixed bits as the table has them, all others random. */
static uint32_t random_word(struct rng *rng, const struct row_info *row)
{
    uint32_t word = (uint32_t)rng_next(rng);

    /* Zero and all-one fields hold most aliases and most edges: make them common. */
    if (rng_below(rng, 4) == 0)
        word &= (uint32_t)rng_next(rng) & (uint32_t)rng_next(rng);
    else if (rng_below(rng, 4) == 0)
        word |= (uint32_t)rng_next(rng) | (uint32_t)rng_next(rng);
    return (word & ~row->mask) | row->match;
}

/* Bare register fields make the aliases; each is zero, ra or random on its own. */
static uint32_t with_plain_fields(struct rng *rng, uint32_t word, uint32_t mask)
{
    static const struct {
        uint32_t field, values[3];
    } fields[] = {
        {0x00000f80, {0, 0x00000080, 0x00000100}}, /* rd: zero, ra, sp */
        {0x000f8000, {0, 0x00008000, 0x00010000}}, /* rs1 */
        {0x01f00000, {0, 0x00100000, 0x01f00000}}, /* rs2, or the low half of an immediate */
        {0xfe000000, {0, 0xfe000000, 0x0e000000}}, /* the high half */
    };

    for (size_t n = 0; n < ARRAY_LEN(fields); n++)
        if (!(mask & fields[n].field) && rng_below(rng, 2))
            word = (word & ~fields[n].field) | fields[n].values[rng_below(rng, 3)];
    return word;
}

/* Registers that exist are rare among the 4096 numbers, and so are floating point's, 1 to 3. */
static uint32_t with_likely_csr(struct rng *rng, uint32_t word)
{
    unsigned number = (unsigned)rng_below(rng, 32);

    while (number > 3 && !csr_name(number))
        number = (unsigned)rng_below(rng, 4096);
    return (word & 0xfffff) | number << 20;
}

static bool names_a_csr(const struct row_info *row)
{
    return row->format == FORMAT_CSR || row->format == FORMAT_CSRI;
}

static bool row_needs(const struct row_info *row, const char *extension)
{
    for (unsigned e = 0; e < EXT_COUNT; e++)
        if (strcmp(extension, extension_name(e)) == 0)
            return row->needs >> e & 1;
    return false;
}

/* extension: of the rows wanted; NULL: all. */
static int write_rows(uint64_t seed, unsigned count, const char *extension)
{
    struct rng rng = {seed};

    for (unsigned r = 0; r < ROW_COUNT; r++) {
        const struct row_info *row = row_info(r);
        unsigned size = insn_size((uint16_t)row->match);

        if (extension && !row_needs(row, extension))
            continue;
        for (unsigned n = 0; n < count; n++) {
            uint32_t word = random_word(&rng, row);

            if (size == 4 && n % 2)
                word = with_plain_fields(&rng, word, row->mask);
            if (names_a_csr(row) && n % 4)
                word = with_likely_csr(&rng, word);
            write_word(word, size);
        }
    }
    return 0;
}

static bool is_longer_than_a_word(uint32_t word)
{
    return (word & 0x1f) == 0x1f;
}

/* Full-size words next to legal ones, and some random ones. */
static int write_neighbours(uint64_t seed, unsigned count)
{
    struct rng rng = {seed};

    for (unsigned r = 0; r < ROW_COUNT; r++) {
        const struct row_info *row = row_info(r);

        for (unsigned bit = 2; bit < 32 && insn_size((uint16_t)row->match) == 4; bit++)
            for (unsigned n = 0; n < count && row->mask >> bit & 1; n++) {
                uint32_t word = random_word(&rng, row) ^ UINT32_C(1) << bit;

                if (!is_longer_than_a_word(word))
                    write_word(word, 4);
            }
    }
    for (unsigned n = 0; n < 1000 * count; n++) {
        uint32_t word = (uint32_t)rng_next(&rng) | 3;

        if (!is_longer_than_a_word(word))
            write_word(word, 4);
    }
    return 0;
}

/*
 * Each parcel is written with a c.nop after it, so that the one
 * which starts a longer instruction takes no parcel of interest with it. Those
 * of more than 32 bits (all of bits 4..0 set) would, and are nobody's here.
 */
static int write_parcels(void)
{
    for (uint32_t parcel = 0; parcel < 0x10000; parcel++)
        if (!is_longer_than_a_word(parcel))
            write_word(parcel | 0x00010000, 4);
    return 0;
}

/* ---- reading objdump ---- */

struct shown {
    uint64_t pc;
    uint32_t word;
    unsigned digits;
    char *text; /* mnemonic, tab, operands; no comment */
    char *name; /* the text in <>, or NULL */
};

/* `   8020000c:<tab>00500513          <tab>li<tab>a0,5 # comment` */
static bool parse_line(char *line, struct shown *s)
{
    char *end, *hex;

    line[strcspn(line, "\n")] = '\0';
    s->pc = strtoull(line, &end, 16);
    if (end == line || end[0] != ':' || end[1] != '\t')
        return false;
    hex = end + 2;
    s->word = (uint32_t)strtoul(hex, &end, 16);
    s->digits = (unsigned)(end - hex);
    end += strspn(end, " ");
    if ((s->digits != 4 && s->digits != 8) || *end != '\t')
        return false;
    s->text = end + 1;
    end = strstr(s->text, " #");
    if (end)
        *end = '\0';
    s->name = strchr(s->text, '<');
    return true;
}

/* The target of a branch gets objdump's name; the address is compared. */
static void name_as_shown(void *ctx, uint64_t address, char *text, size_t size)
{
    const char *name = ctx;

    (void)address;
    if (name)
        snprintf(text, size, "%.*s", (int)strcspn(name + 1, ">"), name + 1);
}

static bool is_one_of_our_names(const char *text)
{
    static const char *const names[] = {
#define I(ext, name, match, mask, format, class) #name,
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
#define A(row, rd, rs1, rs2, imm, name, operands) #name,
#include "cpu/isa/alias.def"
#undef A
    };
    char word[32] = "";
    size_t len = strcspn(text, "\t ");

    if (len >= sizeof word)
        return false;
    for (size_t n = 0; n < len; n++)
        word[n] = text[n] == '.' ? '_' : text[n];
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        size_t base = strlen(names[n]);

        if (strncmp(word, names[n], base) == 0 &&
            (!word[base] || !strcmp(word + base, "_aq") || !strcmp(word + base, "_rl") ||
             !strcmp(word + base, "_aqrl")))
            return true;
    }
    return false;
}

/* ---- intended differences ---- */

struct difference {
    char pattern[LINE_MAX_BYTES];
    regex_t compiled;
    bool needed;
};

struct differences {
    struct difference at[DIFFERENCES_MAX];
    size_t count;
};

static bool add_difference(struct differences *d, const char *pattern)
{
    struct difference *new = &d->at[d->count];
    char anchored[LINE_MAX_BYTES + 4];

    if (d->count == DIFFERENCES_MAX)
        return false;
    snprintf(new->pattern, sizeof new->pattern, "%s", pattern);
    snprintf(anchored, sizeof anchored, "^%s$", pattern);
    if (regcomp(&new->compiled, anchored, 0) != 0)
        return false;
    d->count++;
    return true;
}

static bool read_differences(struct differences *d, const char *path)
{
    char line[LINE_MAX_BYTES];
    FILE *f = fopen(path, "r");
    bool good = f != NULL;

    while (good && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != '#')
            good = add_difference(d, line);
    }
    if (f)
        fclose(f);
    return good;
}

static bool difference_is_meant(struct differences *d, const char *ours, const char *theirs)
{
    char line[2 * LINE_MAX_BYTES];

    snprintf(line, sizeof line, "%s => %s", ours, theirs);
    for (char *c = line; *c; c++)
        if (*c == '\t')
            *c = ' ';
    for (size_t n = 0; n < d->count; n++)
        if (regexec(&d->at[n].compiled, line, 0, NULL, 0) == 0)
            return d->at[n].needed = true;
    return false;
}

static bool write_coverage(const struct differences *d, const char *path)
{
    FILE *f = fopen(path, "a");

    if (!f)
        return false;
    for (size_t n = 0; n < d->count; n++)
        if (d->at[n].needed)
            fprintf(f, "%s\n", d->at[n].pattern);
    return fclose(f) == 0;
}

static void free_differences(struct differences *d)
{
    for (size_t n = 0; n < d->count; n++)
        regfree(&d->at[n].compiled);
}

/* ---- comparing ---- */

struct tally {
    unsigned long equal, meant, foreign, wrong;
};

static bool is_data(const char *text)
{
    static const char *const directives[] = {".byte", ".short", ".word", ".dword"};

    for (size_t n = 0; n < ARRAY_LEN(directives); n++)
        if (strncmp(text, directives[n], strlen(directives[n])) == 0)
            return true;
    return false;
}

static void compare(const struct shown *s, struct differences *d, struct tally *tally)
{
    const struct disasm_names names = {name_as_shown, s->name};
    char ours[DISASM_MAX];
    unsigned size = disasm(s->pc, s->word, &names, ours);

    if (size * 2 != s->digits)
        snprintf(ours, sizeof ours, "(%u bytes)", size);
    if (strcmp(ours, s->text) == 0)
        tally->equal++;
    else if (ours[0] == '.' && !is_one_of_our_names(s->text))
        tally->foreign++;
    else if (difference_is_meant(d, ours, s->text))
        tally->meant++;
    else if (tally->wrong++ < FAILURES_SHOWN)
        printf("# %" PRIx64 ": %0*" PRIx32 ": ours '%s', objdump's '%s'\n", s->pc, (int)s->digits,
               s->word, ours, s->text);
}

static int check(const char *differences, const char *coverage)
{
    static struct differences d;
    struct tally tally = {0};
    char line[LINE_MAX_BYTES];
    struct shown s;

    if (!read_differences(&d, differences)) {
        printf("# %s: cannot be read, or a pattern is bad\n", differences);
        return 2;
    }
    while (fgets(line, sizeof line, stdin))
        if (parse_line(line, &s) && !is_data(s.text))
            compare(&s, &d, &tally);
    printf("# %lu equal, %lu different as listed, %lu of foreign extensions, %lu wrong\n",
           tally.equal, tally.meant, tally.foreign, tally.wrong);
    if (!write_coverage(&d, coverage))
        return 2;
    free_differences(&d);
    return tally.wrong || !tally.equal;
}

int main(int argc, char **argv)
{
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "rows") == 0)
        return write_rows(strtoull(argv[2], NULL, 0), (unsigned)strtoul(argv[3], NULL, 0), argv[4]);
    if (argc == 4 && strcmp(argv[1], "neighbours") == 0)
        return write_neighbours(strtoull(argv[2], NULL, 0), (unsigned)strtoul(argv[3], NULL, 0));
    if (argc == 2 && strcmp(argv[1], "parcels") == 0)
        return write_parcels();
    if (argc == 4 && strcmp(argv[1], "check") == 0)
        return check(argv[2], argv[3]);
    fprintf(stderr, "usage: objdump_compare rows SEED COUNT [EXT] | neighbours SEED COUNT | "
                    "parcels | check FILE FILE\n");
    return 64;
}
