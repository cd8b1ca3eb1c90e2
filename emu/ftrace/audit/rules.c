/*
 * rules.c - see rules.h.
 */
#include "ftrace/audit/rules.h"

#include "cpu/observer.h"

static const struct row {
    const char *name;
    enum severity severity;
    uint32_t events;
    const char *sentence, *remedy;
} rows[] = {
#define E(kind) | EVENT_BIT(EVENT_##kind)
#define RULE(name, text, severity, events, sentence, remedy) \
    {text, SEVERITY_##severity, 0 events, sentence, remedy},
#include "ftrace/audit/rules.def"
#undef RULE
#undef E
};

const char *rule_name(enum rule rule)
{
    return rows[rule].name;
}

enum severity rule_severity(enum rule rule)
{
    return rows[rule].severity;
}

uint32_t rule_events(enum rule rule)
{
    return rows[rule].events;
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
