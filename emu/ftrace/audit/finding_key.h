/*
 * finding_key.h - a finding by the names of its rule and functions, without addresses, harts and
 * cycles: what stays the same when the kernel is built again or the run takes another course.
 */
#ifndef FTRACE_FINDING_KEY_H
#define FTRACE_FINDING_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "ftrace/audit/finding.h"

struct site_table;
struct symbols;

enum { KEY_NAME_MAX = 192, KEY_DETAIL_MAX = 16 };

#define KEY_UNKNOWN "-" /* a function that is not known */

/*
 * The detail distinguishes findings of one rule that have different causes in the same functions:
 * the register of clobbered-register and clobbered-csr, "" for other rules. With it the rule is
 * RULE/DETAIL.
 *
 * The writer is the patcher: the function that decided to make the store, or to end the change
 * that left what is wrong (store_stacks.h).
 *
 * The functions have their names in the source: what the compiler has added (foo.isra.0), which
 * stacks and places show, is left out. A function of a module is MODULE:FUNCTION. The writer may
 * also be `@firmware', `@device',
 * `@debugger', `@loader', or a program in user mode, `@program:NAME'.
 */
struct finding_key {
    enum rule rule;
    char detail[KEY_DETAIL_MAX];
    char writer[KEY_NAME_MAX];
    unsigned place_count; /* the first ones that differ, in order of occurrence */
    char places[EXAMPLES_MAX][KEY_NAME_MAX];
};

void finding_key(struct finding_key *key, const struct finding *f, const struct site_table *sites,
                 const struct symbols *symbols);

/* The name of the rule and, if it has one, the detail. */
enum { KEY_RULE_MAX = 64 };
void finding_key_rule(char text[KEY_RULE_MAX], const struct finding_key *key);

/*
 * Reads RULE or RULE/DETAIL. False: there is no such rule or detail; a message, which begins with
 * `where`, was given.
 */
MUST_USE bool finding_key_read_rule(const char *where, const char *word, const struct diag *d,
                                    enum rule *rule, char detail[KEY_DETAIL_MAX]);

/* The key in words: the rule and the writer, or where it was found if that is not known. */
enum { KEY_TEXT_MAX = 2 * KEY_NAME_MAX };
void finding_key_text(char text[KEY_TEXT_MAX], const struct finding_key *key);

/* Cuts off what the compiler has added to the name of a function. */
void finding_key_cut(char *name);

/* The name of a function as keys have it. */
void finding_key_name(char key[KEY_NAME_MAX], const char *function);

/* The name of the code at an address, as keys have it. */
void finding_key_code(char key[KEY_NAME_MAX], const struct symbols *symbols, uint64_t pc);

/* The store that is part of the evidence; NULL: none is. */
const struct writer *finding_writer(const struct finding *f);

/* The name of the program that made the store in user mode; NULL: the store was not made there. */
const char *finding_program(const struct finding *f);

/* Whether the finding is not about a store, but about what the end of a change has left. */
bool finding_is_of_end(const struct finding *f);

/*
 * Finds the code that decided to make that store, or to end that change: the call in the patcher
 * (store_stacks.h), and in `next`, which may be NULL, its return address; or the store itself,
 * twice. False: the writer is no hart, or its instruction is not known.
 */
MUST_USE bool finding_patcher(const struct finding *f, uint64_t *code, uint64_t *next);

/*
 * Asks for the names of the functions in the evidence, so that they are still known after the
 * modules that have them are gone (ftrace/kernel/module_names.h).
 */
void finding_keep_names(const struct finding *f, const struct symbols *symbols);

/* The first breach of the finding's rule. */
const struct example *finding_place(const struct finding *f);

#endif
