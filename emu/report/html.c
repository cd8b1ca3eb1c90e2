/*
 * html.c - see html.h. A report goes into the page as it is, but for what no table shows: sites
 * that were never executed, and counts of each site that can be computed.
 */
#include "report/html.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include <report_page.h> /* the build makes it: mk/emu.mk */

static bool was_executed(const json_t *of, const char *const states[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *entries = json_object_get(json_object_get(of, states[i]), "entries");

        if (json_number_value(entries) > 0)
            return true;
    }
    return false;
}

/* The members of `from` that were executed. */
static json_t *executed(const json_t *from, const char *const states[], size_t count)
{
    json_t *list = json_array(), *one;
    size_t i;

    json_array_foreach(from, i, one)
    {
        if (was_executed(one, states, count))
            json_array_append(list, one);
    }
    return list;
}

/* Adds a number and words, unless the number is 0. */
static void add_left_out(json_t *list, json_t *number, const char *words)
{
    if (json_number_value(number) > 0)
        json_array_append_new(list, json_pack("[Os]", number, words));
}

/* What was left out because there was too much of it. */
static json_t *left_out(const json_t *report)
{
    const json_t *findings = json_object_get(report, "findings_left_out");
    json_t *list = json_array();

#define LIMIT(name, option, words)                                 \
    add_left_out(list, json_object_get(report, #name "_left_out"), \
                 sizeof(option) > 1 ? words " (" option ")" : words);
#define FINDINGS_LIMIT(name, severity, words) \
    add_left_out(list, json_object_get(findings, #name), words " [" #severity "]");
#include "ftrace/report/limits.def"
    return list;
}

static json_t *list_of(const json_t *report, const char *name)
{
    json_t *list = json_object_get(report, name);

    return list ? json_incref(list) : json_array();
}

static json_t *slim(const struct run_file *r)
{
    static const char *const site_states[] = {"init", "off", "on"};
    static const char *const label_states[] = {"nop", "jump"};
    const json_t *report = r->json, *sites = json_object_get(report, "sites");
    json_t *page = json_object(), *findings = json_object_get(report, "findings");

    json_object_set_new(page, "path", json_string(r->path));
    json_object_set(page, "run", json_object_get(report, "run"));
    json_object_set(page, "layout", json_object_get(report, "layout"));
    json_object_set(page, "totals", json_object_get(report, "totals"));
    json_object_set(page, "patch_counts", json_object_get(report, "patch_counts"));
    json_object_set_new(page, "site_count", json_integer((json_int_t)json_array_size(sites)));
    json_object_set_new(page, "sites", executed(sites, site_states, ARRAY_LEN(site_states)));
    json_object_set_new(
        page, "jump_labels",
        executed(json_object_get(report, "jump_labels"), label_states, ARRAY_LEN(label_states)));
    json_object_set_new(page, "trampolines", list_of(report, "trampolines"));
    json_object_set_new(page, "updates", list_of(report, "updates"));
    if (findings)
        json_object_set(page, "findings", findings);
    json_object_set_new(page, "left_out", left_out(report));
    return page;
}

/*
 * In a script `<' could begin the tag that ends it. In JSON it is within strings only, where it may
 * be written as a number.
 */
static int put_json(const char *text, size_t size, void *out)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(text[i], out);
    return 0;
}

void html_write(const struct run_file *runs, size_t count, const char *stacks, FILE *out)
{
    static const char page[] = REPORT_PAGE;
    const char *data = strstr(page, "<!-- data -->\n");

    fwrite(page, 1, (size_t)(data - page), out);
    for (size_t i = 0; i < count; i++) {
        json_t *json = slim(&runs[i]);

        fputs("<script type=\"application/json\" data-report>", out);
        (void)json_dump_callback(json, put_json, out, JSON_COMPACT);
        fputs("</script>\n", out);
        json_decref(json);
    }
    if (stacks) {
        fputs("<script type=\"application/json\" data-stacks>", out);
        (void)put_json(stacks, strlen(stacks), out);
        fputs("</script>\n", out);
    }
    fputs(strchr(data, '\n') + 1, out);
}
