/*
 * bpf_jit_core.c - compiles a program of BPF: passes, and the image.
 *
 * Passes without output find out how many words each instruction takes: at first each conditional
 * jump is taken for a far one, so that places only come closer together, until none changes any
 * more.
 */
#include "bpf_jit.h"
#include <linux/filter.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

enum { MAX_PASSES = 64, MAX_WORDS = 1 << 18 /* what a jump reaches */ };

/* The registers that a program uses. */
static u32 registers_of(const struct bpf_prog *prog)
{
    u32 seen = 0, i;

    for (i = 0; i < prog->len; i++)
        seen |= 1u << prog->insns[i].dst_reg | 1u << prog->insns[i].src_reg;
    return seen;
}

static void set_place(struct rv_jit_context *ctx, u32 *place)
{
    ctx->shift = *place - ctx->ninsns;
    ctx->moved |= ctx->shift;
    *place = ctx->ninsns;
}

static void build_body(struct rv_jit_context *ctx)
{
    u32 i = 0;

    ctx->ninsns = 0;
    ctx->moved = false;
    bpf_jit_build_prologue(ctx);
    while (i < ctx->prog->len && !ctx->failed) {
        set_place(ctx, &ctx->offset[i]);
        i += bpf_jit_emit_insn(ctx, i);
    }
    set_place(ctx, &ctx->epilogue);
    bpf_jit_build_epilogue(ctx);
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
    struct bpf_jit_image *image = bpf_jit_binary_alloc(ctx->prog, ctx->ninsns * sizeof(u32));

    if (!image)
        return NULL;
    ctx->text = (unsigned long)image->text;
    build_body(ctx);
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
    struct rv_jit_context ctx = {.prog = prog, .seen = registers_of(prog)};

    ctx.offset = vmalloc(prog->len * sizeof(u32));
    if (!ctx.offset)
        return false;
    prog->jited = compile(&ctx);
    if (prog->jited)
        prog->bpf_func = (u64(*)(const void *, const struct bpf_prog *))prog->jited->text;
    vfree(ctx.offset);
    return prog->jited;
}
