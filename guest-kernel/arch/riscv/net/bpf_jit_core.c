/*
 * bpf_jit_core.c - compiles a program of BPF: passes, and the image.
 *
 * Passes without output find out how many words each instruction takes: at first each conditional
 * jump is taken for a far one, so that places only come closer together, until none changes any
 * more. The functions of a program follow each other in one image.
 */
#include "bpf_jit.h"
#include <linux/filter.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

enum { MAX_PASSES = 64, MAX_WORDS = 1 << 18 /* what a jump reaches */ };

static u32 function_end(const struct bpf_prog *prog, u32 func)
{
    return func + 1 < prog->subprog_cnt ? prog->subprogs[func + 1].start : prog->len;
}

/* The registers that a function uses. */
static u32 registers_of(const struct bpf_prog *prog, u32 func)
{
    u32 seen = 0, i;

    for (i = prog->subprogs[func].start; i < function_end(prog, func); i++)
        seen |= 1u << prog->insns[i].dst_reg | 1u << prog->insns[i].src_reg;
    return seen;
}

static bool has_tail_calls(const struct bpf_prog *prog)
{
    u32 i;

    for (i = 0; i < prog->len; i++)
        if (prog->insns[i].code == (BPF_JMP | BPF_TAIL_CALL))
            return true;
    return false;
}

static void set_place(struct rv_jit_context *ctx, u32 *place)
{
    ctx->shift = *place - ctx->ninsns;
    ctx->moved |= ctx->shift;
    *place = ctx->ninsns;
}

static void build_function(struct rv_jit_context *ctx)
{
    u32 i = ctx->prog->subprogs[ctx->func].start, end = function_end(ctx->prog, ctx->func), n;

    ctx->seen = registers_of(ctx->prog, ctx->func);
    /* A call leads to the prologue; no jump leads to a function's first instruction from outside.
     */
    bpf_jit_build_prologue(ctx);
    while (i < end && !ctx->failed) {
        set_place(ctx, &ctx->offset[i]);
        n = bpf_jit_emit_insn(ctx, i);
        i += n;
    }
    set_place(ctx, &ctx->epilogue[ctx->func]);
    bpf_jit_build_epilogue(ctx);
}

static void build_body(struct rv_jit_context *ctx)
{
    ctx->ninsns = 0;
    ctx->moved = false;
    for (ctx->func = 0; ctx->func < ctx->prog->subprog_cnt; ctx->func++) {
        set_place(ctx, &ctx->entry[ctx->func]);
        build_function(ctx);
    }
    ctx->failed |= ctx->ninsns >= MAX_WORDS;
}

/* Until each instruction has its place: an end that stays is not enough. */
static bool find_places(struct rv_jit_context *ctx)
{
    u32 pass;

    ctx->first_pass = true;
    for (pass = 0; pass < MAX_PASSES && !ctx->failed; pass++) {
        build_body(ctx);
        if (!ctx->first_pass && !ctx->moved)
            return !ctx->failed;
        ctx->first_pass = false;
    }
    return false;
}

static struct bpf_jit_image *build_image(struct rv_jit_context *ctx)
{
    const struct bpf_prog *prog = ctx->prog;
    struct bpf_jit_image *image = bpf_jit_binary_alloc(prog, ctx->ninsns * sizeof(u32));
    u32 i;

    if (!image)
        return NULL;
    ctx->text = (unsigned long)image->text;
    image->tail_entry = ctx->tail_calls ? sizeof(u32) : 0;
    build_body(ctx);
    for (i = 0; i < prog->subprog_cnt; i++)
        bpf_jit_add_function(image, prog,
                             (i + 1 < prog->subprog_cnt ? ctx->entry[i + 1] : ctx->ninsns) *
                                 sizeof(u32));
    if (ctx->failed || ctx->moved || ctx->ninsns * sizeof(u32) != image->size ||
        bpf_jit_binary_write(image, ctx->insns)) {
        bpf_jit_binary_free(image);
        return NULL;
    }
    return image;
}

static struct bpf_jit_image *compile(struct rv_jit_context *ctx)
{
    struct bpf_jit_image *image = NULL;

    if (!find_places(ctx))
        return NULL;
    ctx->insns = vmalloc(ctx->ninsns * sizeof(u32));
    if (ctx->insns)
        image = build_image(ctx);
    vfree(ctx->insns);
    return image;
}

bool bpf_int_jit_compile(struct bpf_prog *prog)
{
    struct rv_jit_context ctx = {.prog = prog};

    if (prog->has_callbacks)
        return false;
    ctx.tail_calls = has_tail_calls(prog);
    if (ctx.tail_calls && prog->subprog_cnt > 1)
        return false; /* the verifier accepts none */
    ctx.offset = vmalloc((prog->len + 2 * prog->subprog_cnt) * sizeof(u32));
    if (!ctx.offset)
        return false;
    ctx.entry = ctx.offset + prog->len;
    ctx.epilogue = ctx.entry + prog->subprog_cnt;
    prog->jited = compile(&ctx);
    if (prog->jited)
        prog->bpf_func = (u64(*)(const void *, const struct bpf_prog *))prog->jited->text;
    vfree(ctx.offset);
    return prog->jited;
}
