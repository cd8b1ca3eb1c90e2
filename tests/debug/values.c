/*
 * values.c - variables of all kinds of types, for tests/debug/like_gdb.sh.
 */
enum colour { RED, GREEN = 5, BLUE };
enum mask { M_READ = 1, M_WRITE = 2, M_EXEC = 8 };
enum sign { MINUS = -3, NONE = 0, PLUS = 3 };

typedef unsigned char u8;
typedef unsigned long word;
typedef int (*handler)(int, const char *);

struct point {
    short x, y;
};

struct bits {
    unsigned low : 3, middle : 7;
    signed sign : 4;
    unsigned long wide : 40;
    enum colour colour : 4;
    _Bool flag : 1;
};

union number {
    int i;
    unsigned u;
    float f;
    unsigned char bytes[4];
};

struct list {
    struct list *next, **pprev;
};

struct all {
    char name[16];
    const char *text;
    char *none;
    struct point corners[3];
    struct {
        int a;
        union {
            int b;
            char c;
        };
    } inner;
    union number number;
    struct bits bits;
    handler handle;
    void (*plain)(void);
    enum colour colour;
    enum mask mask, other_mask, no_mask;
    enum sign sign;
    double real;
    float single;
    _Bool yes, no;
    u8 raw[8];
    int grid[2][3];
    struct list list;
    volatile const int *volatile watched;
    word long_one;
    char tail[];
};

__attribute__((noinline)) static int handle(int n, const char *text)
{
    return n + text[0];
}

__attribute__((noinline)) static void plain(void) {}

struct list other = {0, 0};
int numbers[40] = {1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4};
char blob[300] = "start";
char letters[12] = "aaaaaaaaaaaa";
struct point points[20] = {{1, 2}, {3, 4}};
const char *const words[] = {"one", "two", 0};
signed char small = -5;
unsigned short half = 65535;
long long big = -1234567890123456789;
static int hidden = 7;
void *nowhere = (void *)16;
int *to_number = &numbers[1];
struct all all = {
    .name = "all of it",
    .text = "a \"text\"\n",
    .corners = {{1, -1}, {2, -2}, {3, -3}},
    .inner = {.a = 1, .b = 65},
    .number.f = 1.5f,
    .bits = {5, 100, -3, 0x123456789a, BLUE, 1},
    .handle = handle,
    .plain = plain,
    .colour = GREEN,
    .mask = M_READ | M_EXEC,
    .other_mask = M_WRITE | 16,
    .sign = MINUS,
    .real = -2.5,
    .single = 0.1f,
    .yes = 1,
    .raw = {1, 2, 3, 'a', 'b', 255},
    .grid = {{1, 2, 3}, {4, 5, 6}},
    .list = {&other, &all.list.next},
    .watched = &hidden,
    .long_one = 0xffffffffffffffff,
};
struct all *pointer = &all;

int _start(int n)
{
    all.number.i = handle(n, all.text) + hidden;
    plain();
    return n;
}

/* Members with holes, bits and padding between them, for ptype/o. */
struct packed_bits {
    int a : 3, b : 5;
    char c;
    int d : 7;
    long e;
    unsigned f : 1;
};
struct gaps {
    char c;
    const struct packed_bits inner;
    union {
        int i;
        long l;
    };
    struct {
        int x : 3, y : 30, z : 2;
    } anonymous;
    struct packed_bits array[2], *pointer;
    enum { GAP_A, GAP_B } which;
    int (*call)(int);
    char text[3][5];
    int flexible[];
};
union both {
    int a;
    char b[7];
    struct {
        int q;
        char w;
    } c;
};
typedef struct packed_bits packed_t;
struct gaps gaps;
union both both;
packed_t loose_bits;
