/*
 * context.c - connects the language of expressions (value.h) with the machine: registers, memory
 * and symbols of the hart whose state is looked at, and its selected frame.
 */
#include <inttypes.h>
#include <string.h>

#include "debug/debugger_priv.h"
#include "debug/dwarf.h"
#include "load/symbols.h"

/* ---- registers ---- */

static int find_register(void *ctx, const char *name)
{
    const struct debugger *d = ctx;

    return target_find_register(d->target, name);
}

static void register_kind(void *ctx, unsigned number, unsigned *bits, unsigned *kind)
{
    const struct debugger *d = ctx;
    struct target_register r = {.bits = 64};

    (void)!target_register(d->target, number, &r);
    *bits = r.bits;
    *kind = r.type == TARGET_CODE_POINTER   ? 1
            : r.type == TARGET_DATA_POINTER ? 2
            : r.type == TARGET_DOUBLE       ? 3
                                            : 0;
}

static bool get_register(void *ctx, unsigned number, uint64_t *value)
{
    const struct debugger *d = ctx;

    return !target_get_register(d->target, d->view.hart, number, value);
}

static bool set_register(void *ctx, unsigned number, uint64_t value)
{
    const struct debugger *d = ctx;

    return !target_set_register(d->target, d->view.hart, number, value);
}

/* ---- memory ---- */

static bool load(void *ctx, uint64_t address, void *to, size_t len)
{
    const struct debugger *d = ctx;

    return !target_read(d->target, d->view.hart, TARGET_BY_ANY, address, to, len);
}

static bool store(void *ctx, uint64_t address, const void *from, size_t len)
{
    const struct debugger *d = ctx;

    return !target_write(d->target, d->view.hart, TARGET_BY_ANY, address, from, len);
}

/* ---- symbols ---- */

/* A label is code if it is in a section of instructions, or inside a function. */
static bool is_code(const struct debugger *d, const struct symbol *s)
{
    if (s->kind != SYMBOL_LABEL)
        return s->kind == SYMBOL_FUNC;
    return debug_is_code(d->info, s->addr) || symbols_function_at(d->config.symbols, s->addr);
}

static bool find_symbol(void *ctx, const char *name, struct plain_symbol *found)
{
    const struct debugger *d = ctx;
    const struct symbol *s;
    uint64_t address;

    if (!symbols_find(d->config.symbols, name, &address))
        return false;
    s = symbols_lookup(d->config.symbols, address);
    *found = (struct plain_symbol){.address = address};
    if (s && s->addr == address) {
        found->size = s->size;
        found->code = is_code(d, s);
    }
    return true;
}

/* Labels inside a function, such as ftrace_call, do not hide its name. */
static const char *name_at(void *ctx, uint64_t address, uint64_t *offset)
{
    const struct debugger *d = ctx;
    uint64_t va = place_canonical(d, address);
    const struct symbol *s = symbols_function_at(d->config.symbols, va);

    if (s && s->size && va - s->addr < s->size) {
        *offset = va - s->addr;
        return s->name;
    }
    return symbols_name_at(d->config.symbols, va, offset);
}

/* ---- frames ---- */

static void selected_frame(void *ctx, struct frame_scope *f)
{
    const struct debugger *d = ctx;
    uint64_t pc = 0;

    (void)!target_get_register(d->target, d->view.hart, TARGET_REG_PC, &pc);
    *f = (struct frame_scope){.pc = pc, .canonical = place_canonical(d, pc)};
}

/* ---- the session's language ---- */

void context_open(struct debugger *d)
{
    const struct language_env env = {
        .ctx = d,
        .find_register = find_register,
        .register_kind = register_kind,
        .get_register = get_register,
        .set_register = set_register,
        .load = load,
        .store = store,
        .symbol = find_symbol,
        .name_at = name_at,
        .frame = selected_frame,
    };

    d->info = debug_info_new(d->config.lines);
    d->language = language_new(&env, d->info);
}

void context_close(struct debugger *d)
{
    language_free(d->language);
    debug_info_free(d->info);
}

struct view context_look(struct debugger *d, unsigned hart)
{
    struct view before = d->view;

    d->view = (struct view){.hart = hart};
    return before;
}

/* ---- arguments ---- */

struct expr *arg_expr(struct debugger *d, const char **at, enum expr_extent extent,
                      const char *what)
{
    struct expr *e;

    if (!**at) {
        complain(d, "expected %s", what);
        return NULL;
    }
    e = expr_parse(d->language, at, extent);
    if (!e)
        complain(d, "%s", language_why(d->language));
    return e;
}

static bool arg_any(struct debugger *d, const char **at, const char *what, struct value *v)
{
    struct expr *e = arg_expr(d, at, EXPR_ARGUMENT, what);
    bool ok = e && expr_evaluate(d->language, e, v);

    if (e && !ok)
        complain(d, "%s", language_why(d->language));
    expr_free(e);
    return ok;
}

bool arg_value(struct debugger *d, const char **at, const char *what, uint64_t *value)
{
    struct value v;

    if (!arg_any(d, at, what, &v))
        return false;
    if (value_address(d->language, v, value))
        return true;
    complain(d, "%s", language_why(d->language));
    return false;
}

/* A function's size by C is 1. */
static bool is_function(const struct debugger *d, struct type *type)
{
    const struct type *stripped = type_strip(language_types(d->language), type);

    return stripped && stripped->kind == TYPE_FUNCTION;
}

bool arg_variable(struct debugger *d, const char **at, const char *what, uint64_t *address,
                  uint64_t *size)
{
    struct value v;

    if (!arg_any(d, at, what, &v))
        return false;
    if (v.place == VALUE_IN_MEMORY) {
        *address = v.address;
        *size = is_function(d, v.type) ? 0 : type_size(language_types(d->language), v.type);
        return true;
    }
    *size = 0;
    if (value_integer(d->language, v, address))
        return true;
    complain(d, "%s", language_why(d->language));
    return false;
}
