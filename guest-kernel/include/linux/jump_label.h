/*
 * jump_label.h - static keys: a condition that rarely changes is a nop or a jump in the code, which
 * is patched when the condition changes, instead of a load and a branch.
 *
 * A key counts its users and is true while there is one. It is defined with the value that it has
 * at first, and each use says which value it expects: the code for that one follows the place, so
 * the place is a nop while the key has it. __jump_table has an entry for each place in the code, of
 * Linux's form. Each place is one aligned instruction of four bytes, so other harts run the old or
 * the new one, and need not be stopped.
 */
#ifndef LINUX_JUMP_LABEL_H
#define LINUX_JUMP_LABEL_H

#include <linux/atomic.h>
#include <linux/types.h>

struct module;

enum { JUMP_TYPE_FALSE, JUMP_TYPE_TRUE };

struct static_key {
    atomic_t enabled;   /* number of users; -1 during the first one's update */
    unsigned long type; /* the value at first: JUMP_TYPE_* */
};

#define STATIC_KEY_INIT_TRUE           \
    {                                  \
        .enabled = {1}, JUMP_TYPE_TRUE \
    }
#define STATIC_KEY_INIT_FALSE           \
    {                                   \
        .enabled = {0}, JUMP_TYPE_FALSE \
    }

/* The type of a key says its value at first. */
struct static_key_true {
    struct static_key key;
};

struct static_key_false {
    struct static_key key;
};

#define STATIC_KEY_TRUE_INIT        \
    (struct static_key_true)        \
    {                               \
        .key = STATIC_KEY_INIT_TRUE \
    }
#define STATIC_KEY_FALSE_INIT        \
    (struct static_key_false)        \
    {                                \
        .key = STATIC_KEY_INIT_FALSE \
    }
#define DEFINE_STATIC_KEY_TRUE(name)   struct static_key_true name = STATIC_KEY_TRUE_INIT
#define DEFINE_STATIC_KEY_FALSE(name)  struct static_key_false name = STATIC_KEY_FALSE_INIT
#define DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name

/* Each is a distance from the field itself; the key's low bits are JUMP_ENTRY_*. */
struct jump_entry {
    s32 code, target;
    long key;
};

enum {
    JUMP_ENTRY_BRANCH = 1, /* the jump goes to the code for false */
    JUMP_ENTRY_FLAGS = 3,
};

/* The place with this instruction, and its entry in the table. */
#define ARCH_STATIC_BRANCH(insn, key, branch)          \
    __asm__ goto(".option push\n"                      \
                 ".option norelax\n"                   \
                 ".balign 4\n"                         \
                 ".option norvc\n"                     \
                 "1: " insn "\n"                       \
                 ".option pop\n"                       \
                 ".pushsection __jump_table, \"a\"\n"  \
                 ".balign 8\n"                         \
                 ".long 1b - ., %l[l_yes] - .\n"       \
                 ".dword %0 - .\n"                     \
                 ".popsection\n"                       \
                 :                                     \
                 : "i"(&((const char *)(key))[branch]) \
                 :                                     \
                 : l_yes)

/* True while the place is a jump; it is a nop at first. */
static inline __attribute__((always_inline)) bool arch_static_branch(const struct static_key *key,
                                                                     bool branch)
{
    ARCH_STATIC_BRANCH("nop", key, branch);
    return false;
l_yes:
    return true;
}

/* The same, but a jump at first. */
static inline __attribute__((always_inline)) bool
arch_static_branch_jump(const struct static_key *key, bool branch)
{
    ARCH_STATIC_BRANCH("jal zero, %l[l_yes]", key, branch);
    return false;
l_yes:
    return true;
}

bool static_key_of_no_known_type(void)
    __attribute__((error("static_branch_likely() and static_branch_unlikely() need a key that was "
                         "defined as true or false")));

#define static_key_is(x, which) __builtin_types_compatible_p(__typeof__(*(x)), struct which)

/* The condition is expected to be true, or false: the code for the other value is elsewhere. */
#define static_branch_likely(x)                                                               \
    __builtin_expect(static_key_is(x, static_key_true) ? !arch_static_branch(&(x)->key, true) \
                     : static_key_is(x, static_key_false)                                     \
                         ? !arch_static_branch_jump(&(x)->key, true)                          \
                         : static_key_of_no_known_type(),                                     \
                     1)
#define static_branch_unlikely(x)                                                                  \
    __builtin_expect(static_key_is(x, static_key_true) ? arch_static_branch_jump(&(x)->key, false) \
                     : static_key_is(x, static_key_false) ? arch_static_branch(&(x)->key, false)   \
                                                          : static_key_of_no_known_type(),         \
                     0)

/* A plain key that is false at first and expected to be, or true. */
static inline __attribute__((always_inline)) bool static_key_false(struct static_key *key)
{
    return arch_static_branch(key, false);
}

static inline __attribute__((always_inline)) bool static_key_true(struct static_key *key)
{
    return !arch_static_branch(key, true);
}

/* Number of users; an update in progress counts as one. */
static inline int static_key_count(const struct static_key *key)
{
    int n = atomic_read(&key->enabled);

    return n >= 0 ? n : 1;
}

#define static_key_enabled(x) (static_key_count((const struct static_key *)(x)) > 0)

/*
 * Patch all places of the key if its value changes; may sleep. When they return, every hart runs
 * the new code. slow_inc and slow_dec count users; enable and disable set the count to 1 and 0, and
 * must not be mixed with the first two for one key.
 */
void static_key_slow_inc(struct static_key *key);
void static_key_slow_dec(struct static_key *key);
void static_key_enable(struct static_key *key);
void static_key_disable(struct static_key *key);

#define static_branch_inc(x)     static_key_slow_inc(&(x)->key)
#define static_branch_dec(x)     static_key_slow_dec(&(x)->key)
#define static_branch_enable(x)  static_key_enable(&(x)->key)
#define static_branch_disable(x) static_key_disable(&(x)->key)

/* Whether a place of a static key is among the bytes from start to end, both included. */
bool jump_label_text_reserved(const void *start, const void *end);

/* Patches the places of a module whose keys have changed, before its first function is called. */
void jump_label_add_module(const struct module *mod);

enum jump_label_type { JUMP_LABEL_NOP, JUMP_LABEL_JMP };
void arch_jump_label_transform(const struct jump_entry *entry, enum jump_label_type type);

static inline unsigned long jump_entry_code(const struct jump_entry *entry)
{
    return (unsigned long)&entry->code + entry->code;
}

static inline unsigned long jump_entry_target(const struct jump_entry *entry)
{
    return (unsigned long)&entry->target + entry->target;
}

static inline const struct static_key *jump_entry_key(const struct jump_entry *entry)
{
    return (const struct static_key *)(((unsigned long)&entry->key + entry->key) &
                                       ~(unsigned long)JUMP_ENTRY_FLAGS);
}

static inline bool jump_entry_is_branch(const struct jump_entry *entry)
{
    return ((unsigned long)&entry->key + entry->key) & JUMP_ENTRY_BRANCH;
}

#endif
