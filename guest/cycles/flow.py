"""flow - rows of branches, calls, indirect calls, CSRs and fences."""
from rows import each, repeat

XORSHIFT = ("slli a0,s8,13\nxor s8,s8,a0\nsrli a0,s8,7\nxor s8,s8,a0\n"
            "slli a0,s8,17\nxor s8,s8,a0\n")
SEED = "li s8,0x2545F4914F6CDD1D"
PATTERN = 384  # iterations of a row about predictors, which take a while to learn
DEPTHS = range(1, 13)


def pair(register, link, target):
    """auipc and jalr, of four bytes each."""
    return (f".option push\n.option norvc\n1: auipc {register},%pcrel_hi({target})\n"
            f"  jalr {link},%pcrel_lo(1b)({register})\n.option pop\n")


def measured(p):
    """The rows of the first measurement, in its order."""
    branches(p)
    csrs_and_fences(p)
    calls(p)
    indirect(p)


def branches(p):
    p.row("br_nt_x16", "branch", repeat("bne zero,zero,1f\n1:", 16))
    p.row("br_nt_cold_x16", "branch", repeat("bne zero,zero,1f\nnop\n1:", 16))
    p.row("br_tk_next_x16", "branch", repeat("beq zero,zero,1f\n1:", 16))
    p.row("br_tk_skip_x16", "branch", repeat("beq zero,zero,1f\nnop\n1:", 16))
    p.row("br_tk_skip15_x8", "branch", repeat(f"beq zero,zero,1f\n{repeat('nop', 15)}\n1:", 8))
    p.row("j_next_x16", "branch", repeat("j 1f\n1:", 16))
    p.row("j_skip15_x8", "branch", repeat(f"j 1f\n{repeat('nop', 15)}\n1:", 8))
    p.row("cj_next_x16", "branch", repeat("c.j 1f\n1:", 16), rvc=True)
    p.row("br_alt", "branch", "andi a0,s0,1\nbeqz a0,1f\nnop\n1:", n=PATTERN)
    p.row("br_pat4", "branch", "andi a0,s0,3\nbeqz a0,1f\nnop\n1:", n=PATTERN)
    p.row("xorshift_only", "alu", XORSHIFT + "andi a0,s8,1\nadd a2,a2,a0", init=SEED, n=PATTERN)
    p.row("br_random", "branch", XORSHIFT + "andi a0,s8,1\nbeqz a0,1f\nnop\n1:", init=SEED, n=PATTERN)
    p.row("loop_trip4", "branch", "li a0,4\n1: addi a0,a0,-1\nbnez a0,1b")
    p.row("loop_trip16", "branch", "li a0,16\n1: addi a0,a0,-1\nbnez a0,1b")


def csrs_and_fences(p):
    p.row("csrr_mcycle_x4", "csr", repeat("csrr a0,mcycle", 4))
    p.row("csrw_mscratch_x4", "csr", repeat("csrw mscratch,a0", 4))
    p.row("fence_x4", "fence", repeat("fence", 4))
    p.row("fencei_x1", "fence", "fence.i", n=64)


def calls(p):
    for depth in DEPTHS:
        p.row(f"call_depth{depth}", "call", f"jal calls_{depth}")
        p.function("  .balign 16\ncalls_1: ret" if depth == 1 else
                   f"  .balign 16\ncalls_{depth}: addi sp,sp,-16\n sd ra,8(sp)\n jal calls_{depth - 1}\n"
                   " ld ra,8(sp)\n addi sp,sp,16\n ret")
    p.row("call_auipc_jalr", "call", pair("ra", "ra", "calls_1"))


def indirect(p):
    p.row("jalr_same", "indirect", "la a0,calls_1\njalr a0")
    p.row("jalr_same_reg", "indirect", "jalr s8", init="la s8,calls_1")
    pick = "slli a0,a0,4\nadd a0,a0,{table}\n{jump}"
    p.row("jalr_alt2", "indirect", "andi a0,s0,1\n" + pick.format(table="s8", jump="jalr a0"),
          init="la s8,four_returns", n=PATTERN)
    p.row("jalr_alt4", "indirect", "andi a0,s0,3\n" + pick.format(table="s8", jump="jalr a0"),
          init="la s8,four_returns", n=PATTERN)
    p.row("jalr_rand4", "indirect", XORSHIFT + "andi a0,s8,3\n" + pick.format(table="s9", jump="jalr a0"),
          init="la s9,four_returns\n" + SEED, n=PATTERN)
    p.row("jr_switch4_jt", "indirect", "andi a0,s0,3\n" + pick.format(table="s8", jump="jr a0") +
          "\n.balign 16\nfour_cases: " + "\n.balign 16\n".join(["j 9f"] * 4) + "\n9:", init="la s8,four_cases",
          n=PATTERN)
    p.function("  .balign 16\nfour_returns: ret\n.balign 16\n ret\n .balign 16\n ret\n .balign 16\n ret")


def measured_more(p):
    """Rows x_* of the first measurement: where a call stands in its line."""
    p.row("x_empty_at2", "issue", "c.nop\n1:", rvc=True)
    p.row("x_jal_at2", "call", "c.nop\njal site_plain_0", init="li s8,3", rvc=True)
    p.row("x_jal_at62", "call", repeat("nop", 15) + "\nc.nop\n.option norvc\njal site_plain_0", init="li s8,3",
          rvc=True)
    p.row("x_jal_at60", "call", repeat("nop", 15) + "\njal site_plain_0", init="li s8,3")


def further(p):
    """What the first measurement left out."""
    further_patterns(p)
    further_targets(p)
    further_calls(p)
    further_system(p)


def further_patterns(p):
    for period in (3, 5, 6, 8, 12):
        p.row(f"br_pat{period}", "branch", f"addi a4,a4,-1\nbnez a4,1f\nli a4,{period}\n1:", init=f"li a4,{period}",
              n=PATTERN)
    for odds in (2, 3, 5):
        p.row(f"br_random_1in{1 << odds}", "branch",
              XORSHIFT + f"andi a0,s8,{(1 << odds) - 1}\nbeqz a0,1f\nnop\n1:", init=SEED, n=PATTERN)
    p.row("br_correlated", "branch",
          XORSHIFT + "andi a0,s8,1\nbeqz a0,1f\nnop\n1: beqz a0,2f\nnop\n2:", init=SEED, n=PATTERN)
    p.row("loop_trip3_nested", "branch", "li a1,3\n2: li a0,3\n1: addi a0,a0,-1\nbnez a0,1b\naddi a1,a1,-1\nbnez a1,2b")
    p.row("loop_trip8", "branch", "li a0,8\n1: addi a0,a0,-1\nbnez a0,1b")
    p.row("loop_trip64", "branch", "li a0,64\n1: addi a0,a0,-1\nbnez a0,1b")
    p.row("br_nt_spaced_x8", "branch", repeat("bne zero,zero,1f\nadd a0,s8,s9\nadd a2,s8,s9\n1: add a3,s8,s9", 8))
    p.row("br_alu_dep_x8", "branch", repeat("add a0,s8,s9\nbnez a0,1f\nnop\n1:", 8), init="li s8,1\nli s9,1")


def further_targets(p):
    """Taken jumps by their number and distance: what a target buffer holds."""
    for count in (4, 8, 12, 16, 20, 24, 32, 40, 64):
        p.row(f"btb_j_{count}", "branch", repeat("j 1f\n" + repeat("nop", 7) + "\n1:", count), far=True)
    for count in (8, 16, 32, 64):
        p.row(f"btb_br_{count}", "branch", repeat("beq zero,zero,1f\n" + repeat("nop", 7) + "\n1:", count), far=True)
    for gap in (1, 2, 3, 5, 6):
        p.row(f"j_after{gap}_x8", "branch", repeat(repeat("nop", gap) + "\nj 1f\nnop\n1:", 8))
    for at in (2, 4, 6, 8, 10, 12, 14):
        p.row(f"j_to_{at}mod16_x4", "branch",
              repeat(".balign 16\nj 1f\n" + ".balign 16\n" + repeat("c.nop", at // 2) +
                     "\n1: .option norvc\nadd a0,s8,s9\nadd a2,s8,s9\n.option rvc", 4), rvc=True)


def further_calls(p):
    """Calls at each place of a line, in a row, and through a pair of 4-byte or compressed instructions."""
    for at in range(0, 16, 2):
        p.row(f"pair_at{at}", "call", repeat("c.nop", at // 2) + "\n" + pair("ra", "ra", "calls_1"), rvc=True)
    for at in (56, 58, 60, 62):
        p.row(f"pair_at{at}", "call", repeat("c.nop", at // 2) + "\n" + pair("ra", "ra", "calls_1"), rvc=True)
    for at in range(0, 16, 2):
        p.row(f"jal_at{at}", "call", repeat("c.nop", at // 2) + "\n.option norvc\njal calls_1", rvc=True)
    p.row("calls_4_in_a_row", "call", repeat("jal calls_1", 4))
    p.row("calls_to_4", "call", each(lambda i: f"jal calls_apart_{i}", 4))
    p.row("calls_to_24", "call", each(lambda i: f"jal calls_apart_{i}", 24))
    p.row("cjalr_same_x4", "indirect", repeat("c.jalr s8", 4), init="la s8,calls_1", rvc=True)
    p.row("jalr_8_adds", "indirect", repeat("add a0,s9,s9\nadd a2,s9,s9", 4) + "\njalr s8", init="la s8,calls_1")
    p.row("tail_call", "call", "jal calls_tail")
    p.row("jr_t0_return", "indirect", "jal t0,calls_t0")
    p.row("pair_t0_return", "indirect", pair("t0", "t0", "calls_t0"))
    for i in range(24):
        p.function(f"  .balign 64\ncalls_apart_{i}: ret")
    p.function("  .balign 16\ncalls_tail: add a0,s8,s9\n j calls_1\n  .balign 16\ncalls_t0: jr t0")


def further_system(p):
    p.row("csrr_mstatus_x4", "csr", repeat("csrr a0,mstatus", 4))
    p.row("csrr_mscratch_x4", "csr", repeat("csrr a0,mscratch", 4))
    p.row("csrr_minstret_x4", "csr", repeat("csrr a0,minstret", 4))
    p.row("csrr_8_adds_x4", "csr", repeat("csrr a0,mscratch\n" + repeat("add a2,s8,s9\nadd a3,s8,s9", 4), 4))
    p.row("csrrw_mscratch_x4", "csr", repeat("csrrw a0,mscratch,a0", 4))
    p.row("csrsi_mstatus_x4", "csr", repeat("csrsi mstatus,0", 4))
    p.row("csr_irq_off_on_x2", "csr", repeat("csrci mstatus,8\nadd a0,s8,s9\ncsrsi mstatus,0", 2))
    p.row("frflags_x4", "csr", repeat("frflags a0", 4))
    p.row("fsrm_x4", "csr", repeat("fsrm zero", 4))
    data = "la a1,buf\nli a3,1"
    p.row("fence_after_sd_x4", "fence", repeat("sd a3,0(a1)\nfence", 4), init=data)
    p.row("fence_rw_w_x4", "fence", repeat("sd a3,0(a1)\nfence rw,w\nsd a3,8(a1)", 4), init=data)
    p.row("fence_r_rw_x4", "fence", repeat("ld a0,0(a1)\nfence r,rw", 4), init=data)
    p.row("fencei_after_sd", "fence", "sd a3,0(a1)\nfence.i", init=data, n=16)
    p.row("fencei_8_lines", "fence", each(lambda i: f"sd a3,{64 * i}(a1)", 8) + "\nfence.i", init=data, n=16)
    p.row("fencei_64_lines", "fence", each(lambda i: f"sd a3,{64 * (i % 32)}(a1)", 64) + "\nfence.i", init=data, n=16)
    p.row("sfence_vma_x1", "fence", "sfence.vma", n=16)
    p.row("sfence_vma_page", "fence", "sfence.vma a1,zero", init=data, n=16)
