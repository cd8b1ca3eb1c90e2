/*
 * jump_label.h - static keys: a condition that rarely changes is a nop or a jump in the code, which
 * is patched when the condition changes, instead of a load and a branch.
 *
 * __jump_table has an entry for each place in the code, of Linux's form. Each place is one aligned
 * instruction of four bytes, so other harts run the old or the new one, and need not be stopped.
 */
#ifndef LINUX_JUMP_LABEL_H
#define LINUX_JUMP_LABEL_H

#include <linux/types.h>

struct module;

struct static_key {
    bool enabled; /* under jump_label_mutex */
};

/* A key that is false at first. */
struct static_key_false {
    struct static_key key;
};
#define DEFINE_STATIC_KEY_FALSE(name) struct static_key_false name

/* Each is a distance from the field itself. */
struct jump_entry {
    s32 code, target;
    long key;
};

/* False while the place is a nop, true while it is a jump. */
static inline __attribute__((always_inline)) bool arch_static_branch(const struct static_key *key)
{
    __asm__ goto(".option push\n"
                 ".option norelax\n"
                 ".balign 4\n"
                 ".option norvc\n"
                 "1: nop\n"
                 ".option pop\n"
                 ".pushsection __jump_table, \"a\"\n"
                 ".balign 8\n"
                 ".long 1b - ., %l[l_yes] - .\n"
                 ".dword %0 - .\n"
                 ".popsection\n"
                 :
                 : "i"(key)
                 :
                 : l_yes);
    return false;
l_yes:
    return true;
}

/* The condition is expected to be false: the code for it is out of the way. */
#define static_branch_unlikely(x) arch_static_branch(&(x)->key)

/* Patch all places of the key; may sleep. Nothing happens if it has the value already. */
void static_key_enable(struct static_key *key);
void static_key_disable(struct static_key *key);
#define static_branch_enable(x)  static_key_enable(&(x)->key)
#define static_branch_disable(x) static_key_disable(&(x)->key)

/* Patches the places of a module whose keys are enabled, before its first function is called. */
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
    return (const struct static_key *)((unsigned long)&entry->key + entry->key);
}

#endif
