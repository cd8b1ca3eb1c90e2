/*
 * rules.c - see rules.h.
 */
#include "ftrace/rules.h"

static const struct row {
    const char *name;
    enum severity severity;
    const char *sentence;
} rows[] = {
#define RULE(name, text, severity, sentence) {text, SEVERITY_##severity, sentence},
#include "ftrace/rules.def"
#undef RULE
};

const char *rule_name(enum rule rule)
{
    return rows[rule].name;
}

enum severity rule_severity(enum rule rule)
{
    return rows[rule].severity;
}

const char *rule_sentence(enum rule rule)
{
    return rows[rule].sentence;
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};

    return names[severity];
}
