/*
 * bpftypes.c - BPF_BTF_LOAD, and what maps and programs say of themselves by types. Uses nothing
 * but Linux's system calls, so that Linux can be asked, too.
 */
#include "bpf_insn.h"
#include "bpf_syscall.h"
#include "libc.h"
#include <uapi/linux/btf.h>

enum { NOTSUPP = 524 /* Linux's own, which no user's header has */ };

#define INFO(kind, n) ((uint32_t)BTF_KIND_##kind << 24 | (n))

/* Offsets in the names. */
enum { NAME_INT = 1, NAME_KEY = 5, NAME_BAD = 9, NAME_LINE1 = 13, NAME_LINE2 = 27 };
static const char names[] = "\0int\0key\0a-b\0int f(void) {\0\t\treturn 0;";

/* Type 1 of all that follows: of four bytes. */
#define TYPE_INT NAME_INT, INFO(INT, 0), 4, 1u << 24 | 32

static char log_text[4096];

static int load_data(const void *data, unsigned int size)
{
    union bpf_attr attr = {.btf = (unsigned long)data, .btf_size = size};

    return bpf(BPF_BTF_LOAD, &attr);
}

/* The data of these types and all names. */
static struct {
    struct btf_header h;
    char rest[2048];
} data;

static unsigned int make_data(const uint32_t *types, unsigned int words)
{
    data.h = (struct btf_header){.magic = BTF_MAGIC,
                                 .version = BTF_VERSION,
                                 .hdr_len = sizeof(data.h),
                                 .type_len = words * 4,
                                 .str_off = words * 4,
                                 .str_len = sizeof(names)};
    memcpy(data.rest, types, words * 4);
    memcpy(data.rest + words * 4, names, sizeof(names));
    return sizeof(data.h) + words * 4 + sizeof(names);
}

/* Closed, if it could be loaded. */
static int try_data(unsigned int size)
{
    int fd = load_data(&data, size);

    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

#define TRY(...)                                                       \
    ({                                                                 \
        const uint32_t types_[] = {__VA_ARGS__};                       \
        try_data(make_data(types_, sizeof(types_) / sizeof(*types_))); \
    })

static int info(int fd, void *to, unsigned int size)
{
    union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = size}};

    attr.info.info = (unsigned long)to;
    return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* ---- the header ---- */

static void test_header(void)
{
    static const uint32_t types[] = {TYPE_INT};
    unsigned int size = make_data(types, ARRAY_SIZE(types));
    union bpf_attr attr = {.start_id = 0};
    struct bpf_btf_info i = {0};
    char copy[sizeof(data)];
    int fd = load_data(&data, size), other;

    check("types are loaded", fd >= 0);
    i.btf = (unsigned long)copy;
    i.btf_size = sizeof(copy);
    check("and read again",
          info(fd, &i, sizeof(i)) == 0 && i.btf_size == size && !memcmp(copy, &data, size));
    check("they have an id", i.id > 0 && !i.kernel_btf && !i.name_len);
    attr.start_id = i.id - 1;
    check("which is found", bpf(BPF_BTF_GET_NEXT_ID, &attr) == 0 && attr.next_id == i.id);
    memset(&attr, 0, sizeof(attr));
    attr.prog_id = i.id;
    check("by which they are opened", (other = bpf(BPF_BTF_GET_FD_BY_ID, &attr)) >= 0);
    close(other);
    close(fd);
    check("until they are closed", bpf(BPF_BTF_GET_FD_BY_ID, &attr) == -ENOENT);
    data.h.magic = 1;
    check("another magic number is EINVAL", try_data(size) == -EINVAL);
    data.h.magic = BTF_MAGIC;
    data.h.version = 2;
    check("another version is not supported", try_data(size) == -NOTSUPP);
    data.h.version = BTF_VERSION;
    data.h.flags = 1;
    check("nor are flags", try_data(size) == -NOTSUPP);
    data.h.flags = 0;
    check("a byte too many is EINVAL", try_data(size + 1) == -EINVAL);
    check("or too few", try_data(size - 1) == -EINVAL && try_data(4) == -EINVAL);
    data.h.str_off = 4;
    check("types and names do not overlap", try_data(size) == -EINVAL);
    data.h.str_off = sizeof(types);
    data.h.type_len = 0;
    check("nor is there a gap", try_data(size) == -EINVAL);
    check("no types are EINVAL", try_data(make_data(types, 0)) == -EINVAL);
    size = make_data(types, ARRAY_SIZE(types));
    data.rest[sizeof(types)] = 'x';
    check("names begin with an empty one", try_data(size) == -EINVAL);
    data.rest[sizeof(types)] = 0;
    data.rest[sizeof(types) + sizeof(names) - 1] = 'x';
    check("and end", try_data(size) == -EINVAL);
    data.h.hdr_len = sizeof(data.h) + 4;
    check("a longer header is E2BIG if there is something", try_data(size) == -E2BIG);
    check("an address that is none is EFAULT", load_data((void *)8, 100) == -EFAULT);
    check("too much is E2BIG", load_data(&data, (16 << 20) + 1) == -E2BIG);
}

/* ---- types ---- */

static void test_types(void)
{
    check("an integer", TRY(TYPE_INT) == 0);
    check("that is too wide", TRY(NAME_INT, INFO(INT, 0), 4, 33) == -EINVAL);
    check("with bits that have no meaning", TRY(NAME_INT, INFO(INT, 0), 4, 1u << 31) == -EINVAL);
    check("signed and a character", TRY(NAME_INT, INFO(INT, 0), 4, 3u << 24 | 32) == -NOTSUPP);
    check("a type that is cut", TRY(TYPE_INT, NAME_INT, INFO(INT, 0), 4) == -EINVAL);
    check("a kind that there is not", TRY(NAME_INT, 31u << 24, 4) == -EINVAL);
    check("and void", TRY(0, 0, 0) == -EINVAL);
    check("a name that is nowhere", TRY(1000, INFO(INT, 0), 4, 32) == -EINVAL);
    check("a pointer to what comes later", TRY(0, INFO(PTR, 0), 2, TYPE_INT) == 0);
    check("with a name", TRY(TYPE_INT, NAME_KEY, INFO(PTR, 0), 1) == -EINVAL);
    check("to what there is not", TRY(0, INFO(PTR, 0), 9) == -EINVAL);
    check("to itself", TRY(0, INFO(PTR, 0), 1) == -EEXIST);
    check("const void", TRY(0, INFO(CONST, 0), 0) == 0);
    check("two that are const of each other",
          TRY(0, INFO(CONST, 0), 2, 0, INFO(CONST, 0), 1) == -EEXIST);
    check("a name for a type", TRY(TYPE_INT, NAME_KEY, INFO(TYPEDEF, 0), 1) == 0);
    check("without a name", TRY(TYPE_INT, 0, INFO(TYPEDEF, 0), 1) == -EINVAL);
    check("that is no word", TRY(TYPE_INT, NAME_BAD, INFO(TYPEDEF, 0), 1) == -EINVAL);
    check("a function", TRY(TYPE_INT, 0, INFO(FUNC_PROTO, 0), 1, NAME_KEY, INFO(FUNC, 1), 2) == 0);
    check("that has no type", TRY(TYPE_INT, NAME_KEY, INFO(FUNC, 1), 1) == -EINVAL);
    check("an argument without a name",
          TRY(TYPE_INT, 0, INFO(FUNC_PROTO, 1), 1, 0, 1, NAME_KEY, INFO(FUNC, 1), 2) == -EINVAL);
    check("further arguments", TRY(TYPE_INT, 0, INFO(FUNC_PROTO, 1), 1, 0, 0) == 0);
    check("a result without a size", TRY(TYPE_INT, 0, INFO(FUNC_PROTO, 0), 2) == -EINVAL);
    check("an enumeration", TRY(NAME_KEY, INFO(ENUM, 1), 4, NAME_INT, 1) == 0);
    check("of three bytes", TRY(NAME_KEY, INFO(ENUM, 1), 3, NAME_INT, 1) == -EINVAL);
    check("a floating-point number", TRY(NAME_KEY, INFO(FLOAT, 0), 8) == 0);
    check("of three bytes, too", TRY(NAME_KEY, INFO(FLOAT, 0), 3) == -EINVAL);
}

static void test_contents(void)
{
    uint32_t chain[3 * 40 + 4];
    unsigned int i;

    check("a structure",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 2), 8, NAME_KEY, 1, 0, NAME_INT, 1, 32) == 0);
    check("with a pointer to itself",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 1), 8, NAME_KEY, 3, 0, 0, INFO(PTR, 0), 2) == 0);
    check("with itself as a member",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 1), 8, NAME_KEY, 2, 0) == -EEXIST);
    check("with a member that goes beyond it",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 1), 4, NAME_KEY, 1, 8) == -EINVAL);
    check("with members in another order",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 2), 8, NAME_KEY, 1, 32, NAME_INT, 1, 0) == -EINVAL);
    check("with a void member",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 1), 8, NAME_KEY, 0, 0) == -EINVAL);
    check("with a bit field",
          TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 1) | 1u << 31, 4, NAME_KEY, 1, 5u << 24 | 3) == 0);
    check("that is too wide", TRY(TYPE_INT, NAME_KEY, INFO(STRUCT, 1) | 1u << 31, 8, NAME_KEY, 1,
                                  33u << 24) == -EINVAL);
    check("a union has its members at the begin",
          TRY(TYPE_INT, NAME_KEY, INFO(UNION, 1), 8, NAME_KEY, 1, 8) == -EINVAL);
    check("an array", TRY(TYPE_INT, 0, INFO(ARRAY, 0), 0, 1, 1, 10) == 0);
    check("of nothing", TRY(TYPE_INT, 0, INFO(ARRAY, 0), 0, 0, 1, 10) == -EINVAL);
    check("of itself", TRY(TYPE_INT, 0, INFO(ARRAY, 0), 0, 2, 1, 10) == -EEXIST);
    check("that is too large", TRY(TYPE_INT, 0, INFO(ARRAY, 0), 0, 1, 1, 0x40000000) == -EINVAL);
    check("a variable in a section",
          TRY(TYPE_INT, NAME_KEY, INFO(VAR, 0), 1, 1, NAME_INT, INFO(DATASEC, 1), 4, 2, 0, 4) == 0);
    check("that goes beyond it", TRY(TYPE_INT, NAME_KEY, INFO(VAR, 0), 1, 1, NAME_INT,
                                     INFO(DATASEC, 1), 4, 2, 2, 4) == -EINVAL);
    check("that is larger", TRY(TYPE_INT, NAME_KEY, INFO(VAR, 0), 1, 1, NAME_INT, INFO(DATASEC, 1),
                                4, 2, 0, 2) == -EINVAL);
    check("that is none", TRY(TYPE_INT, NAME_INT, INFO(DATASEC, 1), 4, 1, 0, 4) == -EINVAL);
    /* Pointers to pointers, the first one to the last type. */
    for (i = 0; i < 40; i++) {
        chain[3 * i] = 0;
        chain[3 * i + 1] = INFO(PTR, 0);
        chain[3 * i + 2] = i + 2;
    }
    memcpy(chain + 3 * i, (const uint32_t[]){TYPE_INT}, 16);
    check("a chain that is too long is E2BIG",
          try_data(make_data(chain, ARRAY_SIZE(chain))) == -E2BIG);
}

static void test_log(void)
{
    static const uint32_t types[] = {TYPE_INT, 0, INFO(PTR, 0), 9};
    union bpf_attr attr = {.btf = (unsigned long)&data};
    const char *wrong;

    attr.btf_size = make_data(types, ARRAY_SIZE(types));
    attr.btf_log_buf = (unsigned long)log_text;
    attr.btf_log_level = 1;
    attr.btf_log_size = 10;
    check("a log of ten bytes is refused", bpf(BPF_BTF_LOAD, &attr) < 0);
    attr.btf_log_size = sizeof(log_text);
    check("a log", bpf(BPF_BTF_LOAD, &attr) == -EINVAL);
    wrong = strstr(log_text, "[2] PTR (anon)");
    check("says what is wrong with which type", wrong && strstr(wrong, "Invalid type_id"));
}

/* ---- maps ---- */

/* int, a structure of eight bytes, a function. */
static int load_types(void)
{
    static const uint32_t types[] = {
        TYPE_INT, NAME_KEY, INFO(STRUCT, 2),
        8,        NAME_KEY, 1,
        0,        NAME_INT, 1,
        32,       0,        INFO(FUNC_PROTO, 0),
        1,        NAME_KEY, INFO(FUNC, 1),
        3,
    };

    return load_data(&data, make_data(types, ARRAY_SIZE(types)));
}

enum { INT_ID = 1, STRUCT_ID, PROTO_ID, FUNC_ID };

static int create_map(unsigned int type, int types, unsigned int key, unsigned int value)
{
    union bpf_attr attr = {.map_type = type};

    attr.key_size = 4;
    attr.value_size = 8;
    attr.max_entries = 4;
    attr.btf_fd = types;
    attr.btf_key_type_id = key;
    attr.btf_value_type_id = value;
    return bpf(BPF_MAP_CREATE, &attr);
}

static void test_maps(void)
{
    int types = load_types(), map = create_map(BPF_MAP_TYPE_HASH, types, INT_ID, STRUCT_ID);
    struct bpf_map_info i = {0};
    struct bpf_btf_info b = {0};

    check("a map has types", map >= 0);
    info(types, &b, sizeof(b));
    check("that it tells", info(map, &i, sizeof(i)) == 0 && i.btf_key_type_id == INT_ID &&
                               i.btf_value_type_id == STRUCT_ID && i.btf_id == b.id);
    check("of the size of its keys",
          create_map(BPF_MAP_TYPE_HASH, types, STRUCT_ID, STRUCT_ID) == -EINVAL);
    check("and values", create_map(BPF_MAP_TYPE_HASH, types, INT_ID, INT_ID) == -EINVAL);
    check("types that have a size",
          create_map(BPF_MAP_TYPE_HASH, types, INT_ID, FUNC_ID) == -EINVAL);
    check("of keys not alone", create_map(BPF_MAP_TYPE_HASH, types, INT_ID, 0) == -EINVAL);
    check("nor of values", create_map(BPF_MAP_TYPE_HASH, types, 0, STRUCT_ID) == -EINVAL);
    check("an array has them, too",
          close(create_map(BPF_MAP_TYPE_ARRAY, types, INT_ID, STRUCT_ID)) == 0);
    check("not a map of stacks",
          create_map(BPF_MAP_TYPE_STACK_TRACE, types, INT_ID, STRUCT_ID) == -NOTSUPP);
    check("what is no descriptor is EBADF",
          create_map(BPF_MAP_TYPE_HASH, 63, INT_ID, STRUCT_ID) == -EBADF);
    check("one of something else is EINVAL",
          create_map(BPF_MAP_TYPE_HASH, map, INT_ID, STRUCT_ID) == -EINVAL);
    close(types);
    memset(&b, 0, sizeof(b));
    check("they stay with the map", info(map, &i, sizeof(i)) == 0 && i.btf_id);
    close(map);
}

/* ---- programs ---- */

static const struct bpf_insn two[] = {MOV64_IMM(R0, 0), EXIT()};

struct said {
    struct bpf_func_info func;
    unsigned int nr_funcs, nr_lines;
    struct bpf_line_info lines[2];
};

static const struct said right = {
    {0, FUNC_ID},
    1,
    2,
    {{0, NAME_KEY, NAME_LINE1, 1 << 10 | 1}, {1, NAME_KEY, NAME_LINE2, 2 << 10 | 3}}};

static int load_said(int types, const struct said *said)
{
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_KPROBE};

    attr.insns = (unsigned long)two;
    attr.insn_cnt = ARRAY_SIZE(two);
    attr.license = (unsigned long)"GPL";
    attr.log_level = 2;
    attr.log_size = sizeof(log_text);
    attr.log_buf = (unsigned long)log_text;
    attr.prog_btf_fd = types;
    attr.func_info = (unsigned long)&said->func;
    attr.func_info_cnt = said->nr_funcs;
    attr.func_info_rec_size = sizeof(said->func);
    attr.line_info = (unsigned long)said->lines;
    attr.line_info_cnt = said->nr_lines;
    attr.line_info_rec_size = sizeof(said->lines[0]);
    log_text[0] = 0;
    return bpf(BPF_PROG_LOAD, &attr);
}

static int load_changed(int types, unsigned int func, unsigned int first, unsigned int second)
{
    struct said said = right;

    said.func.type_id = func;
    said.lines[0].insn_off = first;
    said.lines[1].insn_off = second;
    return load_said(types, &said);
}

static void test_programs(void)
{
    int types = load_types(), prog = load_said(types, &right);
    struct bpf_func_info func = {0};
    struct bpf_line_info lines[2] = {0};
    struct bpf_prog_info i = {0};
    struct said said = right;

    check("a program has functions and lines", prog >= 0);
    check("which the log shows",
          strstr(log_text, "; int f(void) {") && strstr(log_text, "; return 0;"));
    i.nr_func_info = 1;
    i.func_info_rec_size = sizeof(func);
    i.func_info = (unsigned long)&func;
    i.nr_line_info = 2;
    i.line_info_rec_size = sizeof(lines[0]);
    i.line_info = (unsigned long)lines;
    check("it tells them",
          info(prog, &i, sizeof(i)) == 0 && i.nr_func_info == 1 && i.nr_line_info == 2 && i.btf_id);
    check("as they were",
          !memcmp(&func, &right.func, sizeof(func)) && !memcmp(lines, right.lines, sizeof(lines)));
    memset(&i, 0, sizeof(i));
    i.func_info_rec_size = 12;
    check("records of another size are EINVAL", info(prog, &i, sizeof(i)) == -EINVAL);
    close(prog);
    check("a function is one", load_changed(types, STRUCT_ID, 0, 1) == -EINVAL);
    check("the first line is of the first instruction",
          load_changed(types, FUNC_ID, 1, 1) == -EINVAL);
    check("lines are in order", load_changed(types, FUNC_ID, 0, 0) == -EINVAL);
    check("and in the program", load_changed(types, FUNC_ID, 0, 2) == -EINVAL);
    said.lines[1].line_off = 1000;
    check("their text is among the names", load_said(types, &said) == -EINVAL);
    said = right;
    said.nr_funcs = 0;
    said.nr_lines = 0;
    check("without them, types are not asked for", close(load_said(63, &said)) == 0);
    said.nr_lines = 2;
    check("with them they are", load_said(63, &said) == -EBADF);
    close(types);
}

/* ---- many ---- */

/* Types of most kinds with a few words changed: what the kernel says of them all. */
static void test_random(void)
{
    static const uint32_t types[] = {
        TYPE_INT,
        NAME_KEY,
        INFO(STRUCT, 2),
        8,
        NAME_KEY,
        1,
        0,
        NAME_INT,
        1,
        32,
        0,
        INFO(PTR, 0),
        2,
        0,
        INFO(ARRAY, 0),
        0,
        2,
        1,
        10,
        NAME_KEY,
        INFO(TYPEDEF, 0),
        4,
        0,
        INFO(CONST, 0),
        5,
        NAME_KEY,
        INFO(VAR, 0),
        6,
        1,
        NAME_INT,
        INFO(DATASEC, 1),
        80,
        7,
        0,
        80,
        0,
        INFO(FUNC_PROTO, 1),
        1,
        NAME_KEY,
        3,
        NAME_KEY,
        INFO(FUNC, 1),
        9,
        NAME_KEY,
        INFO(ENUM, 1),
        4,
        NAME_INT,
        1,
        NAME_KEY,
        INFO(FLOAT, 0),
        8,
        NAME_KEY,
        INFO(UNION, 1),
        16,
        NAME_KEY,
        12,
        0,
        NAME_KEY,
        INFO(FWD, 0),
        0,
    };
    enum { ROUNDS = 3000, SECTION = 32 /* its name, for which Linux has other rules since 6.1 */ };
    uint32_t x = 2463534242u, changed[ARRAY_SIZE(types)], accepted = 0, sum = 0, i, k;

    for (i = 0; i < ROUNDS; i++) {
        int err;

        memcpy(changed, types, sizeof(types));
        for (k = 0; k < 1 + i % 3; k++) {
            uint32_t at;

            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            at = x % ARRAY_SIZE(types);
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            if (at == SECTION)
                continue;
            switch (x >> 30) {
            case 0: changed[at] = x % 16; break;
            case 1: changed[at] ^= 1u << x % 32; break;
            case 2: changed[at] += x % 3 - 1; break;
            default: changed[at] = types[x % ARRAY_SIZE(types)];
            }
        }
        err = try_data(make_data(changed, ARRAY_SIZE(types)));
        accepted += !err;
        sum = sum * 31 - err;
    }
    check("some are right, and some are not", accepted > ROUNDS / 20 && accepted < ROUNDS / 2);
    printf("types: %u of %u accepted, all verdicts: %08x\n", accepted, i, sum);
}

int main(void)
{
    test_header();
    test_types();
    test_contents();
    test_log();
    test_maps();
    test_programs();
    test_random();
    return check_result();
}
