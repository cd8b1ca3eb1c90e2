/*
 * rules.c - see rules.h.
 */
#include "ftrace/audit/rules.h"

#include "ftrace/events/events.h"

static const struct row {
    const char *name;
    enum rule_family_id family;
    enum severity severity;
    const char *sentence, *remedy;
} rows[] = {
#define RULE(name, text, family, severity, events, sentence, remedy) \
    {text, FAMILY_##family, SEVERITY_##severity, sentence, remedy},
#include "ftrace/audit/rules.def"
};

/* The events that each rule needs, and each family in addition: first those of the machine. */
#define E(kind) | EVENT_BIT(EVENT_##kind)
#define F(kind)
static const uint32_t machine_events[] = {
#define RULE(name, text, family, severity, events, sentence, remedy) 0 events,
#include "ftrace/audit/rules.def"
};
static const uint32_t family_machine_events[] = {
#define FAMILY(name, events) 0 events,
#include "ftrace/audit/rules.def"
};
#undef E
#undef F
#define E(kind)
#define F(kind) | FTRACE_BIT(FTRACE_##kind)
static const uint32_t ftrace_events[] = {
#define RULE(name, text, family, severity, events, sentence, remedy) 0 events,
#include "ftrace/audit/rules.def"
};
static const uint32_t family_ftrace_events[] = {
#define FAMILY(name, events) 0 events,
#include "ftrace/audit/rules.def"
};
#undef E
#undef F

const char *rule_name(enum rule rule)
{
    return rows[rule].name;
}

enum severity rule_severity(enum rule rule)
{
    return rows[rule].severity;
}

enum rule_family_id rule_family(enum rule rule)
{
    return rows[rule].family;
}

uint32_t rule_events(enum rule rule)
{
    return machine_events[rule];
}

uint32_t rule_ftrace_events(enum rule rule)
{
    return ftrace_events[rule];
}

uint32_t rule_family_events(enum rule_family_id family)
{
    return family_machine_events[family];
}

uint32_t rule_family_ftrace_events(enum rule_family_id family)
{
    return family_ftrace_events[family];
}

const char *rule_sentence(enum rule rule)
{
    return rows[rule].sentence;
}

const char *rule_remedy(enum rule rule)
{
    return rows[rule].remedy;
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};

    return names[severity];
}
