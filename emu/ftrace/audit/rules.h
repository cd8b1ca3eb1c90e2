/*
 * rules.h - the auditor's rules by name. The rows are in rules.def.
 */
#ifndef FTRACE_RULES_H
#define FTRACE_RULES_H

#include <stdint.h>

#include "cpu/observer.h"

enum rule {
#define RULE(name, text, family, severity, events, sentence, remedy) RULE_##name,
#include "ftrace/audit/rules.def"
    RULE_COUNT,
};

/* The families of rules: each has a file, NAME_rules.c. */
enum rule_family_id {
#define FAMILY(name, events) FAMILY_##name,
#include "ftrace/audit/rules.def"
    RULE_FAMILIES,
};

/*
 * Events that rules may ask for in addition to those of cpu/observer.h: traps from the kernel, and
 * returns to it. A rule that asks for these is not called for traps from programs, most of which
 * are system calls.
 */
enum { EVENT_KERNEL_TRAP = EVENT_KINDS, EVENT_KERNEL_RETURN, RULE_EVENTS };

enum severity { SEVERITY_note, SEVERITY_warning, SEVERITY_error, SEVERITIES };

const char *rule_name(enum rule rule); /* for users: "stale-fetch" */
enum severity rule_severity(enum rule rule);
enum rule_family_id rule_family(enum rule rule);
uint32_t rule_events(enum rule rule); /* EVENT_BIT of each kind that it needs, up to RULE_EVENTS */
uint32_t rule_ftrace_events(enum rule rule); /* FTRACE_BIT of each kind that it needs */
/* The same of what the family needs for its own state, in addition to what its rules need. */
uint32_t rule_family_events(enum rule_family_id family);
uint32_t rule_family_ftrace_events(enum rule_family_id family);
const char *rule_sentence(enum rule rule);
const char *rule_remedy(enum rule rule);
const char *severity_name(enum severity severity);

#endif
