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

/* The names and numbers of kinds of which some were left out, as there were too many. */
static json_t *left_out(const json_t *report)
{
    static const char *const names[] = {
        "updates_left_out", "old_code_left_out",    "code_writes_left_out", "page_copies_left_out",
        "swaps_left_out",   "jump_labels_left_out", "sites_left_out",       "returns_left_out"};
    json_t *list = json_array(), *number;
    const char *severity;

    for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
        number = json_object_get(report, names[i]);
        if (json_number_value(number) > 0)
            json_array_append_new(list, json_pack("[sO]", names[i], number));
    }
    json_object_foreach(json_object_get(report, "findings_left_out"), severity, number)
    {
        if (json_number_value(number) > 0)
            json_array_append_new(list, json_pack("[sO]", severity, number));
    }
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
