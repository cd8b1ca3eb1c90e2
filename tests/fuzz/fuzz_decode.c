/*
 * fuzz_decode.c - instruction words: the decoder is compared with its table, and
 * the disassembler's text must stay within its bounds for any names of addresses.
 */
#include <string.h>

#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "cpu/isa/float.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

static void check_fields(const struct insn *i, uint32_t word)
{
    const struct row_info *row = row_info(i->row);

    CHECK(i->row < ROW_COUNT && i->op < OP_COUNT);
    CHECK((i->word & row->mask) == row->match);
    CHECK(row->op == i->op);
    CHECK(i->rd < 32 && i->rs1 < 32 && i->rs2 < 32);
    CHECK(i->word == (i->size == 2 ? word & 0xffff : word));
}

/* Without the extension of a hint the word is the instruction whose encoding it uses. */
static void check_sets(uint32_t word, const struct insn *i, uint64_t extensions)
{
    struct insn other;
    bool found = insn_decode_for(word, extensions, &other);

    if (insn_in(i, extensions))
        CHECK(found && memcmp(&other, i, sizeof other) == 0);
    else if (found)
        CHECK(other.row > i->row && insn_in(&other, extensions));
    if (found)
        check_fields(&other, word);
}

/* A name of any length. */
struct names {
    char letter;
    size_t length;
};

static void name(void *ctx, uint64_t address, char *text, size_t size)
{
    const struct names *n = ctx;
    size_t len = n->length < size ? n->length : size - 1;

    (void)address;
    memset(text, n->letter, len);
    text[len] = '\0';
}

static void check_text(uint64_t pc, uint32_t word, const struct disasm_names *names, unsigned size)
{
    char text[DISASM_MAX + 1];

    memset(text, 0x7f, sizeof text);
    CHECK(disasm(pc, word, names, text) == size);
    CHECK(memchr(text, '\0', DISASM_MAX) && text[0]);
    CHECK(text[DISASM_MAX] == 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {bytes, size};
    uint64_t pc = input_number(&in, 8), extensions = input_number(&in, 4) & EXTS_ALL;
    struct names names = {'n', input_byte(&in)};
    struct disasm_names called = {name, &names};

    do {
        uint32_t word = (uint32_t)input_number(&in, 4);
        struct insn i;

        if (insn_decode(word, &i)) {
            check_fields(&i, word);
            check_sets(word, &i, extensions);
        } else {
            CHECK(!insn_decode_for(word, extensions, &i));
        }
        CHECK(i.size == insn_size((uint16_t)word));
        check_text(pc, word, NULL, i.size);
        check_text(pc, word, &called, i.size);
    } while (in.left);
    return 0;
}
