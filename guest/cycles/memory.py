"""memory - rows of what goes beyond a cache or a TLB, of AMOs and of traps."""
from rows import each, repeat

KIB = 1024
WALKS = (8, 16, 32, 64, 256)  # KiB


def further(p):
    """None of these was in the first measurement."""
    walks(p)
    fetches(p)
    translations(p)
    amos(p)
    traps(p)


# ---- data ----

def walks(p):
    """
    A working set again and again: pointers in a random order, or one access each `stride` bytes.
    The first pass of a row brings the set into the cache, as far as it fits.
    """
    for size in WALKS:
        p.row(f"chase_{size}k", "memory", "1:\n" + repeat("ld a1,0(a1)", 16),
              once=f"la a0,arena\nli a1,{size * KIB}\nli a2,64\ncall ring_random", init="la a1,arena",
              n=size * KIB // 64 // 16)
    for size, stride in ((16, 8), (16, 64), (64, 8), (64, 16), (64, 64), (64, 128), (64, 512), (256, 64), (256, 4096)):
        count = size * KIB // stride
        p.row(f"ld_walk_{size}k_{stride}", "memory", walk("ld a0,{at}(a1)", stride, count),
              init="la a1,arena", n=max(count // 16, 1))
    for size, stride in ((16, 8), (16, 64), (64, 8), (64, 64), (256, 64)):
        count = size * KIB // stride
        p.row(f"sd_walk_{size}k_{stride}", "memory", walk("sd a0,{at}(a1)", stride, count),
              init="la a1,arena", n=max(count // 16, 1))
    p.row("copy_4k", "memory", copy(), init="la a1,arena\nla a2,arena+16384", n=4 * KIB // 64)
    p.row("copy_64k", "memory", copy(), init="la a1,arena\nla a2,arena+131072", n=64 * KIB // 64)
    p.row("ld_set_conflict_4", "memory", conflict(4), init="la a1,arena\nli a2,8192")
    p.row("ld_set_conflict_5", "memory", conflict(5), init="la a1,arena\nli a2,8192")
    p.row("ld_set_conflict_9", "memory", conflict(9), init="la a1,arena\nli a2,4096")


def walk(access, stride, count):
    """Sixteen accesses, and on: each at 0 of a1, which moves, where the offset has no room."""
    step = min(16, count)
    if stride * step <= 2048:
        return each(lambda i: access.format(at=stride * i), step) + f"\nli a3,{stride * step}\nadd a1,a1,a3"
    return f"li a3,{stride}\n" + repeat(access.format(at=0) + "\nadd a1,a1,a3", step)


def copy():
    return each(lambda i: f"ld t{i % 4},{8 * i}(a1)\nsd t{i % 4},{8 * i}(a2)", 8) + "\naddi a1,a1,64\naddi a2,a2,64"


def conflict(lines):
    """So many lines of one set, in turn."""
    return "mv a3,a1\n" + repeat("ld a0,0(a3)\nadd a3,a3,a2", lines)


# ---- instructions ----

def fetches(p):
    """Code that does not fit, and code whose lines are each entered for one jump."""
    p.row("code_16k", "memory", repeat("nop", 16 * KIB // 4), far=True, n=4)
    p.row("code_48k", "memory", repeat("nop", 48 * KIB // 4), far=True, n=4)
    p.row("jump_lines_128", "memory", repeat("j 1f\n.balign 64\n1:", 128), far=True, n=8)
    p.row("jump_lines_1024", "memory", repeat("j 1f\n.balign 64\n1:", 1024), far=True, n=4)


# ---- translation ----

def translations(p):
    """In S-mode: a load in each of some pages, a jump into each of some pages, and the same without misses."""
    p.row("s_ld_chase_x16", "tlb", repeat("ld a1,0(a1)", 16), init="la a1,self", supervisor=True)
    p.row("s_call", "tlb", "jal calls_1", supervisor=True)
    p.row("s_sd_lines_x16", "tlb", each(lambda i: f"sd a3,{64 * i}(a1)", 16), init="la a1,buf", supervisor=True)
    for pages in (4, 8, 16, 32, 64, 128, 192):
        p.row(f"tlb_ld_{pages}_pages", "tlb", repeat("ld a1,0(a1)", 4),
              once=f"la a0,arena\nli a1,{pages}\ncall ring_pages", init="la a1,arena", n=max(pages // 4, 1) * 2,
              supervisor=True)
    for pages in (4, 8, 12, 16, 32, 64):
        p.row(f"tlb_jump_{pages}_pages", "tlb", f"li a0,{pages}\njal page_jumps", n=8, supervisor=True)
    p.row("s_sfence_vma_ld", "tlb", "sfence.vma\nld a0,0(a1)", init="la a1,buf", n=32, supervisor=True)
    p.row("s_sfence_page_ld", "tlb", "sfence.vma a1,zero\nld a0,0(a1)", init="la a1,buf", n=32, supervisor=True)
    lines = "".join(f"  .balign 4096\n  .org . + {64 * (i % 64)}\npage_jump_{i}: addi a0,a0,-1\n  beqz a0,1f\n"
                    f"  j page_jump_{i + 1}\n1: ret\n" for i in range(64))
    p.function('  .pushsection .text.pages,"ax"\n  .balign 4096\n  .set page_jumps,page_jump_0\n'
               f"{lines}page_jump_64: ret\n  .popsection\n")


# ---- AMOs ----

def amos(p):
    data = "la a1,buf\nli a3,1"
    spaced = repeat("add a4,s8,s9\nadd a5,s8,s9", 4)
    p.row("amoadd_d_x4", "amo", repeat("amoadd.d a0,a3,(a1)", 4), init=data)
    p.row("amoadd_w_x4", "amo", repeat("amoadd.w a0,a3,(a1)", 4), init=data)
    p.row("amoadd_w_aqrl_x4", "amo", repeat("amoadd.w.aqrl a0,a3,(a1)", 4), init=data)
    p.row("amoswap_d_x4", "amo", repeat("amoswap.d a0,a3,(a1)", 4), init=data)
    p.row("amomax_d_x4", "amo", repeat("amomax.d a0,a3,(a1)", 4), init=data)
    p.row("amoadd_8_adds_x4", "amo", repeat(f"amoadd.d a0,a3,(a1)\n{spaced}", 4), init=data)
    p.row("amoadd_use_x4", "amo", repeat("amoadd.d a0,a3,(a1)\nadd a2,a2,a0", 4), init=data)
    p.row("amoadd_lines_x4", "amo", each(lambda i: f"addi a4,a1,{64 * i}\namoadd.d a0,a3,(a4)", 4), init=data)
    p.row("amoadd_ld_x4", "amo", repeat("amoadd.d a0,a3,(a1)\nld a2,8(a1)", 4), init=data)
    p.row("amoadd_sd_x4", "amo", repeat("amoadd.d a0,a3,(a1)\nsd a2,64(a1)", 4), init=data)
    p.row("lr_sc_x4", "amo", repeat("lr.d a0,(a1)\nsc.d a2,a3,(a1)", 4), init=data)
    p.row("lr_add_sc_loop_x2", "amo", repeat("1: lr.w a0,(a1)\nadd a0,a0,a3\nsc.w.rl a2,a0,(a1)\nbnez a2,1b", 2),
          init=data)
    p.row("lr_x4", "amo", repeat("lr.d a0,(a1)", 4), init=data)
    p.row("spin_lock_unlock", "amo",
          "1: amoswap.w.aq a0,a3,(a1)\nbnez a0,1b\nld a2,64(a1)\naddi a2,a2,1\nsd a2,64(a1)\namoswap.w.rl zero,zero,(a1)",
          init=data, once="la a1,buf\nsw zero,0(a1)")


# ---- traps ----

def traps(p):
    """A trap and the return from it: the handler is a test and four instructions, and returns to the next one."""
    adds = repeat("add a4,s8,s9\nadd a5,s8,s9", 4)
    for name, body in (("ecall", "ecall"), ("ebreak", "ebreak"), ("illegal", "csrw cycle,zero"),
                       ("ecall_8_adds", f"{adds}\necall")):
        p.row(f"trap_{name}", "trap", body, once="la a0,row_trap\ncsrw mtvec,a0", init="li a7,0", n=64)
    p.row("trap_ecall_s", "trap", "ecall", init="li a7,0", n=64, supervisor=True)
    p.row("mret_x1", "trap", "li a0,0x1800\ncsrs mstatus,a0\nla a0,1f\ncsrw mepc,a0\nmret\n.balign 4\n1:", n=64)
