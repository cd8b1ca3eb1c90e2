/*
 * tasks.c - see tasks.h.
 */
#include "ftrace/kernel/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/kernel/kernel_members.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* An offset that is not known. A task_struct is smaller than TASK_BYTES. */
enum { UNKNOWN = -1, TASK_BYTES = 16 << 10 };

/* Number of tasks from which the place of the pid is learnt; Linux's PID_MAX_LIMIT. */
enum { TEACHERS = 4, PID_LIMIT = 4 << 20 };

enum member {
    MEMBER_NAME,
    MEMBER_PID,
    MEMBER_STACK,
    MEMBER_RETURN_DEPTH,
    MEMBER_RETURN_STACK,
    MEMBER_PREEMPT,
    MEMBER_HOOKS,
    MEMBER_CPU,
    MEMBER_STATE,
    MEMBER_MM,
    MEMBER_TASKS, /* in the list of all tasks */
    MEMBER_RECURSION,
    MEMBER_CALL_DEPTH,
    MEMBER_PAUSED,
    MEMBER_RA, /* these three of thread_struct, from the begin of the task_struct */
    MEMBER_SP,
    MEMBER_S0,
    MEMBERS,
};

/*
 * Pages of tasks that ran, in RAM. The kernel has a task_struct at the same physical address as
 * long as a hart runs the task, so what was translated once need not be translated again.
 */
enum { PAGES = 64 };
struct task_page {
    uint64_t number; /* of the virtual page, + 1; 0: none */
    const uint8_t *host;
};

/* The same for what is read most often. */
enum { PLACES = 64 };
struct task_place {
    uint64_t tp; /* 0: none */
    const uint8_t *depth, *preempt, *hooks;
};

struct tasks {
    struct task_page pages[PAGES];
    struct task_place places[PLACES];
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    bool searched;
    int32_t at[MEMBERS];
    int32_t learnt_pid; /* where the pid is, from tasks that ran */
    uint64_t teachers[TEACHERS];
    unsigned teacher_count;
};

struct tasks *tasks_new(const struct image *im, const struct symbols *symbols, struct lines *lines)
{
    struct tasks *t = xcalloc(1, sizeof *t);

    *t = (struct tasks){.image = im, .symbols = symbols, .lines = lines, .learnt_pid = UNKNOWN};
    return t;
}

void tasks_free(struct tasks *t)
{
    free(t);
}

/* ---- where the members are ---- */

static int32_t find_member_of(struct tasks *t, const char *structure, const char *member)
{
    uint64_t offset;

    if (!kernel_member(t->image, t->lines, structure, member, &offset))
        return UNKNOWN;
    return offset < TASK_BYTES ? (int32_t)offset : UNKNOWN;
}

static int32_t find_member(struct tasks *t, const char *member)
{
    return find_member_of(t, "task_struct", member);
}

/* In Linux these are members of a struct in the task_struct. */
static int32_t find_of_info(struct tasks *t, const char *member)
{
    int32_t info = find_member(t, "thread_info"), at = find_member_of(t, "thread_info", member);

    return info == UNKNOWN || at == UNKNOWN ? UNKNOWN : info + at;
}

static int32_t find_of_thread(struct tasks *t, const char *member)
{
    int32_t thread = find_member(t, "thread"), at = find_member_of(t, "thread_struct", member);

    return thread == UNKNOWN || at == UNKNOWN ? UNKNOWN : thread + at;
}

/* Reads the bytes of init_task in the image's file, as many as the file has. */
static size_t read_first(const struct tasks *t, uint8_t bytes[TASK_BYTES])
{
    size_t size = TASK_BYTES;
    uint64_t va;

    if (!symbols_find(t->symbols, "init_task", &va))
        return 0;
    while (size && !image_read(t->image, va, bytes, size))
        size /= 2;
    return size;
}

static int32_t find_name_of_first(const struct tasks *t)
{
    static const char name[TASK_NAME_MAX] = "swapper";
    uint8_t bytes[TASK_BYTES];
    size_t size = read_first(t, bytes);
    const uint8_t *found = memmem(bytes, size, name, sizeof name);

    return found ? (int32_t)(found - bytes) : UNKNOWN;
}

static void search(struct tasks *t)
{
    static const char *const names[MEMBERS] = {[MEMBER_NAME] = "comm",
                                               [MEMBER_PID] = "pid",
                                               [MEMBER_STACK] = "stack",
                                               [MEMBER_RETURN_DEPTH] = "curr_ret_stack",
                                               [MEMBER_STATE] = "__state",
                                               [MEMBER_MM] = "mm",
                                               [MEMBER_TASKS] = "tasks",
                                               [MEMBER_PREEMPT] = "preempt_count",
                                               [MEMBER_HOOKS] = "rethooks",
                                               [MEMBER_CPU] = "cpu",
                                               [MEMBER_RECURSION] = "trace_recursion",
                                               [MEMBER_CALL_DEPTH] = "curr_ret_depth",
                                               [MEMBER_PAUSED] = "tracing_graph_pause",
                                               [MEMBER_RETURN_STACK] = "ret_stack"};

    t->searched = true;
    for (unsigned i = 0; i < MEMBERS; i++)
        t->at[i] = names[i] ? find_member(t, names[i]) : UNKNOWN;
    if (t->at[MEMBER_STATE] == UNKNOWN) /* before Linux 5.14 */
        t->at[MEMBER_STATE] = find_member(t, "state");
    t->at[MEMBER_RA] = find_of_thread(t, "ra");
    t->at[MEMBER_SP] = find_of_thread(t, "sp");
    t->at[MEMBER_S0] = find_of_thread(t, "s");
    if (t->at[MEMBER_PREEMPT] == UNKNOWN)
        t->at[MEMBER_PREEMPT] = find_of_info(t, "preempt_count");
    if (t->at[MEMBER_CPU] == UNKNOWN)
        t->at[MEMBER_CPU] = find_of_info(t, "cpu");
    if (t->at[MEMBER_NAME] == UNKNOWN)
        t->at[MEMBER_NAME] = find_name_of_first(t);
}

static int32_t offset_of(struct tasks *t, enum member member)
{
    if (!t->searched)
        search(t);
    return t->at[member] == UNKNOWN && member == MEMBER_PID ? t->learnt_pid : t->at[member];
}

/* ---- where the pid is, if only the name is known ---- */

/* The number that is both at `at` and after it, as pid and tgid are; 0: the two differ. */
static uint32_t twice_at(const uint8_t *bytes, size_t at)
{
    uint32_t pair[2];

    memcpy(pair, bytes + at, sizeof pair);
    return pair[0] == pair[1] ? pair[0] : 0;
}

static bool is_zero_twice(const uint8_t *bytes, size_t at)
{
    uint64_t both;

    memcpy(&both, bytes + at, sizeof both);
    return !both;
}

/* Whether each of the tasks has a number there that no other one has. */
static bool may_be_pid(uint8_t (*tasks)[TASK_BYTES], size_t at)
{
    for (unsigned i = 0; i < TEACHERS; i++) {
        uint32_t pid = twice_at(tasks[i], at);

        if (!pid || pid >= PID_LIMIT)
            return false;
        for (unsigned k = 0; k < i; k++)
            if (twice_at(tasks[k], at) == pid)
                return false;
    }
    return true;
}

/* The only place where all of the tasks may have their pid; UNKNOWN: there is none, or several. */
static int32_t find_pid(uint8_t (*tasks)[TASK_BYTES], const uint8_t *first, size_t size)
{
    int32_t found = UNKNOWN;

    for (size_t at = 0; at + 8 <= size; at += 4)
        if (is_zero_twice(first, at) && may_be_pid(tasks, at)) {
            if (found != UNKNOWN)
                return UNKNOWN;
            found = (int32_t)at;
        }
    return found;
}

/* Reads the kernel's memory, which a hart in user mode cannot. False: it is not mapped RAM. */
static bool peek_kernel(struct hart *h, uint64_t va, void *to, unsigned len)
{
    if (hart_mode(h) != PRIV_U)
        return hart_peek(h, va, to, len);
    for (unsigned done = 0, piece; done < len; done += piece) {
        uint64_t pa, room = PAGE_BYTES - (va + done) % PAGE_BYTES;

        piece = len - done < room ? len - done : (unsigned)room;
        if (!hart_maps(h, va + done, &pa) || !hart_read(h, pa, (uint8_t *)to + done, piece))
            return false;
    }
    return true;
}

/* The pid is before the name. Idle tasks have none. */
static void learn_pid(struct tasks *t, struct hart *h, uint64_t tp, const char *name)
{
    size_t size = (size_t)t->at[MEMBER_NAME];
    uint8_t first[TASK_BYTES], (*tasks)[TASK_BYTES];
    bool mapped = true;

    if (!strncmp(name, "swapper", 7) || read_first(t, first) < size)
        return;
    for (unsigned i = 0; i < t->teacher_count; i++)
        if (t->teachers[i] == tp)
            return;
    t->teachers[t->teacher_count++] = tp;
    if (t->teacher_count < TEACHERS)
        return;
    t->teacher_count = 0;
    tasks = xmalloc(TEACHERS * sizeof *tasks);
    for (unsigned i = 0; i < TEACHERS && mapped; i++)
        mapped = peek_kernel(h, t->teachers[i], tasks[i], (unsigned)size);
    if (mapped)
        t->learnt_pid = find_pid(tasks, first, size);
    free(tasks);
}

/* ---- tasks ---- */

/* A name ends with a NUL and is not empty. */
static bool read_name(struct tasks *t, struct hart *h, uint64_t tp, char name[TASK_NAME_MAX])
{
    int32_t at = offset_of(t, MEMBER_NAME);
    const char *end;

    if (at == UNKNOWN || !tp || !peek_kernel(h, tp + (uint64_t)at, name, TASK_NAME_MAX))
        return false;
    end = memchr(name, '\0', TASK_NAME_MAX);
    if (!end || end == name)
        return false;
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return true;
}

static bool read_member(struct tasks *t, struct hart *h, uint64_t tp, enum member member, void *to,
                        unsigned size)
{
    int32_t at = offset_of(t, member);

    return at != UNKNOWN && peek_kernel(h, tp + (uint64_t)at, to, size);
}

bool tasks_read(struct tasks *t, struct hart *h, uint64_t tp, struct task *task)
{
    if (!read_name(t, h, tp, task->name))
        return false;
    if (offset_of(t, MEMBER_PID) == UNKNOWN)
        learn_pid(t, h, tp, task->name);
    if (!read_member(t, h, tp, MEMBER_PID, &task->pid, sizeof task->pid))
        task->pid = -1;
    if (!read_member(t, h, tp, MEMBER_STACK, &task->stack, sizeof task->stack))
        task->stack = 0;
    return true;
}

bool tasks_cpu(struct tasks *t, struct hart *h, uint64_t tp, int32_t *cpu)
{
    return read_member(t, h, tp, MEMBER_CPU, cpu, sizeof *cpu);
}

uint64_t tasks_stack_bytes(const struct tasks *t)
{
    static const char *const ends[] = {"__end_init_stack", "__end_init_task"};
    uint64_t begin, end;

    if (symbols_find(t->symbols, "init_stack", &begin))
        for (size_t i = 0; i < ARRAY_LEN(ends); i++)
            if (symbols_find(t->symbols, ends[i], &end) && end - begin >= PAGE_BYTES &&
                end - begin <= (uint64_t)16 * TASK_STACK_BYTES)
                return end - begin;
    return TASK_STACK_BYTES;
}

static bool member_address(struct tasks *t, uint64_t tp, enum member member, uint64_t *va)
{
    int32_t at = offset_of(t, member);

    *va = tp + (uint64_t)at;
    return tp && at != UNKNOWN;
}

bool tasks_name_address(struct tasks *t, uint64_t tp, uint64_t *va)
{
    return member_address(t, tp, MEMBER_NAME, va);
}

bool tasks_preempt_address(struct tasks *t, uint64_t tp, uint64_t *va)
{
    return member_address(t, tp, MEMBER_PREEMPT, va);
}

/*
 * Finds the page of a task that runs. False: it is not mapped, or not in RAM, or it is not enough
 * to look there, as stores of the hart wait.
 */
static NOINLINE bool find_page(struct task_page *page, struct hart *h, uint64_t va)
{
    uint64_t pa;
    const struct ram *ram;

    if (cluster_stores(hart_cluster(h)) != STORES_PROMPT ||
        !hart_translate(h, va, ACCESS_LOAD, &pa))
        return false;
    pa &= ~(uint64_t)(PAGE_BYTES - 1);
    ram = bus_ram_at(cluster_bus(hart_cluster(h)), pa);
    if (!ram || !ram_has(ram, pa, PAGE_BYTES))
        return false;
    *page = (struct task_page){(va >> PAGE_SHIFT) + 1, ram_host(ram, pa)};
    return true;
}

static unsigned number_bytes(enum member member)
{
    return member == MEMBER_HOOKS ? sizeof(uint64_t) : sizeof(int32_t);
}

/* Where a number of the task that the hart runs is; NULL: that is not known. */
static const uint8_t *find_number(struct tasks *t, struct hart *h, uint64_t tp, enum member member)
{
    int32_t at = offset_of(t, member);
    uint64_t va = tp + (uint64_t)at;
    struct task_page *page = &t->pages[va >> PAGE_SHIFT & (PAGES - 1)];

    if (at == UNKNOWN || va % PAGE_BYTES > PAGE_BYTES - number_bytes(member) ||
        (UNLIKELY(page->number != (va >> PAGE_SHIFT) + 1) && !find_page(page, h, va)))
        return NULL;
    return page->host + va % PAGE_BYTES;
}

static inline bool read_pointer(const uint8_t *from, uint64_t *pointer)
{
    if (!from)
        return false;
    memcpy(pointer, from, sizeof *pointer);
    return true;
}

static inline bool read_number(const uint8_t *from, int32_t *number)
{
    if (!from)
        return false;
    memcpy(number, from, sizeof *number);
    return true;
}

/* The same where stores of the hart wait. */
static NOINLINE bool peek_number(struct tasks *t, struct hart *h, uint64_t tp, enum member member,
                                 void *number)
{
    int32_t at = offset_of(t, member);

    return cluster_stores(hart_cluster(h)) != STORES_PROMPT && at != UNKNOWN &&
           hart_peek(h, tp + (uint64_t)at, number, number_bytes(member));
}

bool tasks_return_depth(struct tasks *t, struct hart *h, uint64_t tp, int32_t *depth)
{
    return read_number(find_number(t, h, tp, MEMBER_RETURN_DEPTH), depth) ||
           peek_number(t, h, tp, MEMBER_RETURN_DEPTH, depth);
}

bool tasks_preempt_count(struct tasks *t, struct hart *h, uint64_t tp, int32_t *count)
{
    return read_number(find_number(t, h, tp, MEMBER_PREEMPT), count) ||
           peek_number(t, h, tp, MEMBER_PREEMPT, count);
}

/* What is not known now is looked for again. */
static NOINLINE void find_place(struct tasks *t, struct hart *h, uint64_t tp,
                                struct task_place *place)
{
    place->depth = find_number(t, h, tp, MEMBER_RETURN_DEPTH);
    place->preempt = find_number(t, h, tp, MEMBER_PREEMPT);
    place->hooks = find_number(t, h, tp, MEMBER_HOOKS);
    place->tp =
        place->depth && place->preempt && (place->hooks || offset_of(t, MEMBER_HOOKS) == UNKNOWN)
            ? tp
            : 0;
}

struct task_counts tasks_counts(struct tasks *t, struct hart *h, uint64_t tp)
{
    struct task_place *place = &t->places[tp / 64 % PLACES];
    struct task_counts counts = {0};

    if (UNLIKELY(place->tp != tp || !tp))
        find_place(t, h, tp, place);
    counts.has_depth = read_number(place->depth, &counts.depth) ||
                       peek_number(t, h, tp, MEMBER_RETURN_DEPTH, &counts.depth);
    counts.has_preempt = read_number(place->preempt, &counts.preempt) ||
                         peek_number(t, h, tp, MEMBER_PREEMPT, &counts.preempt);
    counts.has_hooks = read_pointer(place->hooks, &counts.hooks) ||
                       peek_number(t, h, tp, MEMBER_HOOKS, &counts.hooks);
    return counts;
}

bool tasks_return_stack(struct tasks *t, struct hart *h, uint64_t tp, uint64_t *va)
{
    return read_member(t, h, tp, MEMBER_RETURN_STACK, va, sizeof *va);
}

bool tasks_hooks(struct tasks *t, struct hart *h, uint64_t tp, uint64_t *va)
{
    return read_member(t, h, tp, MEMBER_HOOKS, va, sizeof *va);
}

bool tasks_guards(struct tasks *t, struct hart *h, uint64_t tp, struct task_guard_words *words)
{
    if (!read_member(t, h, tp, MEMBER_PAUSED, &words->paused, sizeof words->paused))
        words->paused = 0;
    words->has_call_depth =
        read_member(t, h, tp, MEMBER_CALL_DEPTH, &words->call_depth, sizeof words->call_depth);
    return read_member(t, h, tp, MEMBER_RECURSION, &words->recursion, sizeof words->recursion);
}

/* ---- tasks that sleep ---- */

/* States of tasks in Linux. */
enum { TASK_UNINTERRUPTIBLE = 0x2, TASK_DEAD = 0x80, TASK_WAKEKILL = 0x100, TASK_NOLOAD = 0x400 };

enum { LIST_MAX = 1 << 16 };

/* While the kernel boots, its first task is not a program yet. */
static bool is_program(struct tasks *t, struct hart *h, uint64_t tp)
{
    uint64_t mm;
    int32_t pid;

    return (read_member(t, h, tp, MEMBER_MM, &mm, sizeof mm) && mm) ||
           (read_member(t, h, tp, MEMBER_PID, &pid, sizeof pid) && pid == 1);
}

/* The idle tasks, whose pid is 0, run only if there is no other. */
static bool is_idle(struct tasks *t, struct hart *h, uint64_t tp)
{
    int32_t pid;

    return !read_member(t, h, tp, MEMBER_PID, &pid, sizeof pid) || !pid;
}

static bool is_kept(struct tasks *t, struct hart *h, uint64_t tp, bool *runnable)
{
    const uint32_t mask = TASK_UNINTERRUPTIBLE | TASK_WAKEKILL | TASK_NOLOAD;
    uint32_t state;

    if (!read_member(t, h, tp, MEMBER_STATE, &state, sizeof state))
        return false;
    *runnable = !state;
    return *runnable ? !is_idle(t, h, tp)
                     : (state & mask) == TASK_UNINTERRUPTIBLE && is_program(t, h, tp);
}

/* Calls back for each task in the kernel's list. */
static void each(struct tasks *t, struct hart *h, void (*found)(void *ctx, uint64_t tp), void *ctx)
{
    int32_t list = offset_of(t, MEMBER_TASKS);
    uint64_t first, node, head;

    if (list == UNKNOWN || !symbols_find(t->symbols, "init_task", &first))
        return;
    head = first + (uint64_t)list;
    if (!hart_peek(h, head, &node, sizeof node))
        return;
    for (unsigned n = 0; n < LIST_MAX && node && node != head; n++) {
        found(ctx, node - (uint64_t)list);
        if (!hart_peek(h, node, &node, sizeof node))
            return;
    }
}

struct kept_search {
    struct tasks *tasks;
    struct hart *hart;
    void (*found)(void *ctx, uint64_t tp, bool runnable);
    void *ctx;
};

static void if_kept(void *ctx, uint64_t tp)
{
    const struct kept_search *k = ctx;
    bool runnable;

    if (is_kept(k->tasks, k->hart, tp, &runnable))
        k->found(k->ctx, tp, runnable);
}

void tasks_each_kept(struct tasks *t, struct hart *h,
                     void (*found)(void *ctx, uint64_t tp, bool runnable), void *ctx)
{
    struct kept_search search = {t, h, found, ctx};

    each(t, h, if_kept, &search);
}

struct live_search {
    struct tasks *tasks;
    struct hart *hart;
    void (*found)(void *ctx, uint64_t tp);
    void *ctx;
};

static void if_live(void *ctx, uint64_t tp)
{
    const struct live_search *l = ctx;
    uint32_t state;

    if (read_member(l->tasks, l->hart, tp, MEMBER_STATE, &state, sizeof state) &&
        !(state & TASK_DEAD))
        l->found(l->ctx, tp);
}

void tasks_each_live(struct tasks *t, struct hart *h, void (*found)(void *ctx, uint64_t tp),
                     void *ctx)
{
    struct live_search search = {t, h, found, ctx};

    each(t, h, if_live, &search);
}

bool tasks_registers(struct tasks *t, struct hart *h, uint64_t tp, struct task_registers *registers)
{
    return read_member(t, h, tp, MEMBER_RA, &registers->pc, sizeof registers->pc) &&
           read_member(t, h, tp, MEMBER_SP, &registers->sp, sizeof registers->sp) &&
           read_member(t, h, tp, MEMBER_S0, registers->s, sizeof registers->s);
}

static void forget_places(struct tasks *t)
{
    memset(t->pages, 0, sizeof t->pages);
    memset(t->places, 0, sizeof t->places);
}

void tasks_state_io(struct state_io *io, struct tasks *t)
{
    state_io_section(io, "tasks", 1);
    if (io->loading)
        forget_places(t);
    STATE_IO(io, t->learnt_pid);
    if (t->learnt_pid < UNKNOWN || t->learnt_pid >= TASK_BYTES)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO_BELOW(io, t->teacher_count, TEACHERS);
    for (unsigned i = 0; i < TEACHERS; i++)
        STATE_IO(io, t->teachers[i]);
}
