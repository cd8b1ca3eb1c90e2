"""straight - rows of straight-line code: issue, dependences, memory that hits, multiply, divide, floating point."""
from rows import each, repeat

DATA = "la a1,buf\nli a3,1"
FLOATS = "la a1,buf\nli a3,3\nfcvt.d.l fa0,a3\nfcvt.d.l fa1,a3\nfcvt.d.l fa2,a3"
SINGLES = "la a1,buf\nli a3,3\nfcvt.s.l fa0,a3\nfcvt.s.l fa1,a3\nfcvt.s.l fa2,a3"
BIG = "li s8,0x7123456789abcdef"


def measured(p):
    """The rows of the first measurement, in its order."""
    p.row("empty", "loop", "")
    issue(p)
    integer(p)
    loads(p)
    stores(p)
    multiply_divide(p)
    floats(p)


def issue(p):
    p.row("nop4_x64", "issue", repeat("nop", 64))
    p.row("cnop_x64", "issue", repeat("c.nop", 64), rvc=True)
    p.row("nop4_x8", "issue", repeat("nop", 8))
    p.row("cnop_x8", "issue", repeat("c.nop", 8), rvc=True)
    p.row("cnop_x8_at2", "issue", "c.nop\nnop\n" + repeat("c.nop", 8), rvc=True)
    p.row("nop4_at2_x64", "issue", "c.nop\n.option norvc\n" + repeat("nop", 64), rvc=True)


def integer(p):
    p.row("add_indep_x64", "alu", each(lambda i: f"add a{i % 6},s8,s9", 64))
    p.row("add_dep_x64", "alu", repeat("add a0,a0,s8", 64))
    p.row("cadd_dep_x64", "alu", repeat("c.add a0,a1", 64), rvc=True)
    p.row("addi_dep_x64", "alu", repeat("addi a0,a0,1", 64))
    p.row("slli_dep_x32", "alu", repeat("slli a0,a0,1", 32))
    p.row("addw_dep_x32", "alu", repeat("addw a0,a0,a1", 32))
    p.row("lui_x32", "alu", repeat("lui a0,0x12345", 32))
    p.row("auipc_x32", "alu", repeat("auipc a0,0", 32))
    p.row("mv_x32", "alu", repeat("mv a0,a1", 32))


def loads(p):
    p.row("ld_indep_x32", "load", each(lambda i: f"ld a{i % 3 + 2},{8 * (i % 16)}(a1)", 32), init=DATA)
    p.row("ld_indep_line_x32", "load", each(lambda i: f"ld a{i % 3 + 2},{64 * i}(a1)", 32), init=DATA)
    p.row("ld_chase_x16", "load", repeat("ld a1,0(a1)", 16), init="la a1,self")
    p.row("ld_add_x16", "load", repeat("ld a0,0(a1)\nadd a2,a2,a0", 16), init=DATA)
    p.row("ld_1_add_x16", "load", repeat("ld a0,0(a1)\nadd a4,a4,a3\nadd a2,a2,a0", 16), init=DATA)
    p.row("ld_2_add_x16", "load",
          repeat("ld a0,0(a1)\nadd a4,a4,a3\nadd a5,a5,a3\nadd a2,a2,a0", 16), init=DATA)
    p.row("lw_add_x16", "load", repeat("lw a0,0(a1)\nadd a2,a2,a0", 16), init=DATA)
    p.row("lbu_add_x16", "load", repeat("lbu a0,0(a1)\nadd a2,a2,a0", 16), init=DATA)
    p.row("ld_addr_x16", "load", repeat("add a5,a1,zero\nld a0,0(a5)", 16), init=DATA)
    p.row("ld_br_x8", "load", repeat("ld a0,0(a1)\nbeqz a0,1f\nnop\n1:", 8), init=DATA)


def stores(p):
    p.row("sd_x16", "store", each(lambda i: f"sd a3,{8 * i}(a1)", 16), init=DATA)
    p.row("sd_same_x16", "store", repeat("sd a3,0(a1)", 16), init=DATA)
    p.row("sd_lines_x16", "store", each(lambda i: f"sd a3,{64 * i}(a1)", 16), init=DATA)
    p.row("sd_1in4_x16", "store",
          each(lambda i: f"sd a3,{8 * i}(a1)\nadd a4,a4,a3\nadd a5,a5,a3\nadd a6,a6,a3", 16), init=DATA)
    p.row("sd_ld_same_x8", "store", repeat("sd a3,0(a1)\nld a0,0(a1)\nadd a2,a2,a0", 8), init=DATA)
    p.row("sd_ld_diff_x8", "store", repeat("sd a3,0(a1)\nld a0,256(a1)", 8), init=DATA)


def multiply_divide(p):
    p.row("mul_dep_x16", "mul", repeat("mul a0,a0,a3", 16), init=DATA)
    p.row("mul_indep_x16", "mul", each(lambda i: f"mul a{i % 4 + 4},a3,a3", 16), init=DATA)
    p.row("mulw_dep_x16", "mul", repeat("mulw a0,a0,a3", 16), init=DATA)
    p.row("mulhu_dep_x16", "mul", repeat("mulhu a0,a0,a3", 16), init=DATA)
    p.row("mul_add_x16", "mul", repeat("mul a0,a3,a3\nadd a2,a2,a0", 16), init=DATA)
    divide = repeat("div a0,s8,s9", 8)
    p.row("div_small_x8", "div", divide, init="li s8,100\nli s9,7")
    p.row("div_big_x8", "div", divide, init=f"{BIG}\nli s9,3")
    p.row("div_by1_x8", "div", divide, init=f"{BIG}\nli s9,1")
    p.row("div_0num_x8", "div", divide, init="li s8,0\nli s9,3")
    p.row("divw_x8", "div", repeat("divw a0,s8,s9", 8), init="li s8,1000000\nli s9,17")
    p.row("rem_big_x8", "div", repeat("rem a0,s8,s9", 8), init=f"{BIG}\nli s9,12345")


def floats(p):
    p.row("faddd_dep_x16", "float", repeat("fadd.d fa0,fa0,fa1", 16), init=FLOATS)
    p.row("faddd_indep_x16", "float", each(lambda i: f"fadd.d ft{i % 6},fa0,fa1", 16), init=FLOATS)
    p.row("fmuld_dep_x16", "float", repeat("fmul.d fa0,fa1,fa0", 16),
          init=FLOATS + "\nli a3,1\nfcvt.d.l fa1,a3")
    p.row("fmaddd_dep_x16", "float", repeat("fmadd.d fa0,fa1,fa2,fa0", 16), init=FLOATS)
    p.row("fdivd_x4", "float", repeat("fdiv.d fa3,fa0,fa1", 4), init=FLOATS + "\nli a3,7\nfcvt.d.l fa1,a3")
    p.row("fsqrtd_x4", "float", repeat("fsqrt.d fa3,fa0", 4), init=FLOATS)
    p.row("fld_fadd_x8", "float", repeat("fld fa3,0(a1)\nfadd.d fa4,fa3,fa1", 8), init=FLOATS)
    p.row("fcvt_dl_x8", "float", repeat("fcvt.d.l fa3,a3", 8), init=FLOATS)


def measured_more(p):
    """The rows x_* of the first measurement: fewer registers, a store before a load of it."""
    p.row("x_add_dep2_x32", "alu", repeat("add a0,a1,s8\nadd a1,a0,s8", 16))
    p.row("x_add_dep3_x33", "alu", repeat("add a0,a1,s8\nadd a2,a0,s8\nadd a1,a2,s8", 11))
    p.row("x_add_dep4_x32", "alu", repeat("add a0,a1,s8\nadd a2,a0,s8\nadd a3,a2,s8\nadd a1,a3,s8", 8))
    p.row("x_add_waw_x32", "alu", repeat("add a0,s8,s9", 32))
    p.row("x_add_waw2_x32", "alu", repeat("add a0,s8,s9\nadd a1,s8,s9", 16))
    p.row("x_add_waw3_x33", "alu", repeat("add a0,s8,s9\nadd a1,s8,s9\nadd a2,s8,s9", 11))
    p.row("x_ld_chase2_x16", "load", repeat("ld a2,0(a1)\nld a1,0(a2)", 8), init="la a1,self")
    p.row("x_ld_waw_x16", "load", repeat("ld a2,0(a1)", 16), init="la a1,self")
    for nops in (0, 1, 2, 4, 8, 16):
        store_load(p, nops, "same", "ld a0,0(a1)")
    for nops in (0, 4):
        store_load(p, nops, "other", "ld a0,264(a1)")
    for nops in (0, 4):
        store_load(p, nops, "samepageoff", "ld a0,0(a4)", "\nli a4,4096\nadd a4,a4,a1")


def store_load(p, nops, what, load, more=""):
    """A store, a number of nops, a load."""
    p.row(f"x_sd_nop{nops}_ld_{what}_x4", "store", repeat(f"sd a3,0(a1)\n{repeat('nop', nops)}\n{load}", 4),
          init=DATA + more)


def further(p):
    """What the first measurement left out."""
    further_integer(p)
    further_memory(p)
    further_multiply_divide(p)
    further_floats(p)


def further_integer(p):
    p.row("xor_dep_x32", "alu", repeat("xor a0,a0,a1", 32))
    p.row("sltu_dep_x32", "alu", repeat("sltu a0,a0,a1", 32))
    p.row("sraiw_dep_x32", "alu", repeat("sraiw a0,a0,1", 32))
    p.row("sll_dep_x32", "alu", repeat("sll a0,a0,a1", 32), init="li a1,1")
    p.row("li_64bit_x8", "alu", repeat("li a0,0x123456789abcdef0", 8))
    p.row("mix_dep_indep_x32", "alu", repeat("add a0,a0,s8\nadd a2,s8,s9\nadd a3,s8,s9\nadd a4,s8,s9", 8))
    p.row("cmv_cadd_x32", "alu", repeat("c.mv a0,a1\nc.add a0,a2", 16), rvc=True)
    p.row("mixed_sizes_x32", "alu", repeat("c.nop\n.option norvc\nadd a2,s8,s9\n.option rvc", 16), rvc=True)


def further_memory(p):
    for insn in ("lb", "lh", "lwu", "lhu"):
        p.row(f"{insn}_add_x16", "load", repeat(f"{insn} a0,0(a1)\nadd a2,a2,a0", 16), init=DATA)
    p.row("ld_3_add_x16", "load",
          repeat("ld a0,0(a1)\nadd a4,a4,a3\nadd a5,a5,a3\nadd a6,a6,a3\nadd a2,a2,a0", 16), init=DATA)
    p.row("ld_sd_x16", "load", each(lambda i: f"ld a0,{8 * i}(a1)\nsd a0,{8 * i + 1024}(a1)", 16), init=DATA)
    p.row("ld_mul_x8", "load", repeat("ld a0,0(a1)\nmul a2,a0,a3", 8), init=DATA)
    p.row("ld_misaligned_x16", "load", each(lambda i: f"ld a{i % 3 + 2},{8 * i + 3}(a1)", 16),
          init=DATA)
    p.row("ld_crossline_x16", "load", each(lambda i: f"ld a{i % 3 + 2},{64 * i + 60}(a1)", 16), init=DATA)
    p.row("ld_crossfetch_x16", "load", each(lambda i: f"ld a{i % 3 + 2},{16 * i + 12}(a1)", 16), init=DATA)
    p.row("sd_misaligned_x16", "store", each(lambda i: f"sd a3,{8 * i + 3}(a1)", 16), init=DATA)
    p.row("sb_x16", "store", each(lambda i: f"sb a3,{i}(a1)", 16), init=DATA)
    p.row("sw_x16", "store", each(lambda i: f"sw a3,{4 * i}(a1)", 16), init=DATA)
    p.row("sb_ld_x8", "store", repeat("sb a3,0(a1)\nld a0,0(a1)\nadd a2,a2,a0", 8), init=DATA)
    p.row("sw_ld_x8", "store", repeat("sw a3,4(a1)\nld a0,0(a1)\nadd a2,a2,a0", 8), init=DATA)
    p.row("sd_lb_x8", "store", repeat("sd a3,0(a1)\nlb a0,5(a1)\nadd a2,a2,a0", 8), init=DATA)
    p.row("sd_lw_x8", "store", repeat("sd a3,0(a1)\nlw a0,4(a1)\nadd a2,a2,a0", 8), init=DATA)
    p.row("push_pop8_x1", "store", each(lambda i: f"sd a{i},{8 * i}(a1)", 8).replace("sd a1", "sd s8") + "\n" +
          each(lambda i: f"ld t{i % 6},{8 * i}(a1)", 8), init=DATA)
    p.row("ld_add_sd_x8", "store", repeat("ld a0,0(a1)\nadd a0,a0,a3\nsd a0,0(a1)", 8), init=DATA)


def further_multiply_divide(p):
    p.row("mul_big_dep_x16", "mul", repeat("mul a0,a0,s8", 16), init=f"{BIG}\nmv a0,s8")
    p.row("mul_big_indep_x16", "mul", each(lambda i: f"mul a{i % 4 + 4},s8,s8", 16), init=BIG)
    p.row("mulh_big_dep_x16", "mul", repeat("mulh a0,s8,a0", 16), init=f"{BIG}\nmv a0,s8")
    p.row("mulhu_indep_x16", "mul", each(lambda i: f"mulhu a{i % 4 + 4},s8,s8", 16), init=BIG)
    p.row("mulw_indep_x16", "mul", each(lambda i: f"mulw a{i % 4 + 4},s8,s8", 16), init=BIG)
    p.row("mul_1_add_x16", "mul", repeat("mul a0,a3,a3\nadd a4,a4,a3\nadd a2,a2,a0", 16), init=DATA)
    p.row("mul_2_add_x16", "mul", repeat("mul a0,a3,a3\nadd a4,a4,a3\nadd a5,a5,a3\nadd a2,a2,a0", 16),
          init=DATA)
    # Operands that differ from the division before, of which some cores keep the result.
    alternate = repeat("div a0,s8,s9\ndiv a1,s10,s9", 4)
    for bits in (4, 8, 16, 24, 32, 48, 62):
        p.row(f"div_{bits}bit_x8", "div", alternate, init=f"li s8,{(1 << bits) + 5}\nli s10,{(1 << bits) + 9}\nli s9,3")
    p.row("div_by_big_x8", "div", alternate, init=f"{BIG}\naddi s10,s8,9\nli s9,0x123456789abcdef")
    p.row("div_by_zero_x8", "div", alternate, init=f"{BIG}\naddi s10,s8,9\nli s9,0")
    p.row("div_negative_x8", "div", alternate, init="li s8,-1000003\nli s10,-1000009\nli s9,17")
    p.row("divu_top_x8", "div", repeat("divu a0,s8,s9\ndivu a1,s10,s9", 4), init="li s8,-1\nli s10,-5\nli s9,1")
    p.row("remu_16bit_x8", "div", repeat("remu a0,s8,s9\nremu a1,s10,s9", 4),
          init="li s8,65541\nli s10,65545\nli s9,7")
    p.row("divuw_32bit_x8", "div", repeat("divuw a0,s8,s9\ndivuw a1,s10,s9", 4),
          init="li s8,-1\nli s10,-5\nli s9,3")
    p.row("remw_x8", "div", repeat("remw a0,s8,s9\nremw a1,s10,s9", 4),
          init="li s8,1000003\nli s10,1000009\nli s9,17")
    p.row("div_dep_x4", "div", repeat("div s8,s8,s9\nadd s8,s8,s10", 4), init="li s8,1000003\nli s10,1000009\nli s9,3")
    p.row("div_8_adds_x4", "div", repeat("div a0,s8,s9\ndiv a1,s10,s9\n" + repeat("add a2,s8,s9\nadd a3,s8,s9", 4), 4),
          init="li s8,1000003\nli s10,1000009\nli s9,17")
    p.row("div_rem_x4", "div", repeat("div a0,s8,s9\nrem a1,s8,s9\ndiv a0,s10,s9\nrem a1,s10,s9", 4),
          init="li s8,1000003\nli s10,1000009\nli s9,17")


def further_floats(p):
    p.row("fadds_dep_x16", "float", repeat("fadd.s fa0,fa0,fa1", 16), init=SINGLES)
    p.row("fmuls_dep_x16", "float", repeat("fmul.s fa0,fa1,fa0", 16), init=SINGLES + "\nli a3,1\nfcvt.s.l fa1,a3")
    p.row("fmadds_dep_x16", "float", repeat("fmadd.s fa0,fa1,fa2,fa0", 16), init=SINGLES)
    p.row("fmuld_indep_x16", "float", each(lambda i: f"fmul.d ft{i % 6},fa0,fa1", 16), init=FLOATS)
    p.row("fmaddd_indep_x16", "float", each(lambda i: f"fmadd.d ft{i % 6},fa0,fa1,fa2", 16), init=FLOATS)
    p.row("fmaddd_mul_chain_x8", "float", repeat("fmul.d fa3,fa1,fa2\nfadd.d fa0,fa0,fa3", 8), init=FLOATS)
    p.row("fdivs_x4", "float", repeat("fdiv.s fa3,fa0,fa1", 4), init=SINGLES + "\nli a3,7\nfcvt.s.l fa1,a3")
    p.row("fsqrts_x4", "float", repeat("fsqrt.s fa3,fa0", 4), init=SINGLES)
    p.row("fdivd_exact_x4", "float", repeat("fdiv.d fa3,fa0,fa1", 4), init=FLOATS + "\nli a3,2\nfcvt.d.l fa1,a3")
    p.row("fdivd_adds_x2", "float", repeat("fdiv.d fa3,fa0,fa1\n" + repeat("add a4,s8,s9\nadd a5,s8,s9", 4), 2),
          init=FLOATS + "\nli a3,7\nfcvt.d.l fa1,a3")
    p.row("fcvt_ld_x8", "float", repeat("fcvt.l.d a4,fa0", 8), init=FLOATS)
    p.row("fcvt_sd_ds_x8", "float", repeat("fcvt.s.d fa3,fa0\nfcvt.d.s fa4,fa3", 4), init=FLOATS)
    p.row("fmv_xd_dx_x8", "float", repeat("fmv.x.d a4,fa0\nfmv.d.x fa0,a4", 4), init=FLOATS)
    p.row("fsgnj_dep_x16", "float", repeat("fsgnj.d fa0,fa0,fa0", 16), init=FLOATS)
    p.row("feq_x8", "float", repeat("feq.d a4,fa0,fa1", 8), init=FLOATS)
    p.row("flt_br_x8", "float", repeat("flt.d a4,fa0,fa1\nbnez a4,1f\nnop\n1:", 8), init=FLOATS)
    p.row("fmin_dep_x8", "float", repeat("fmin.d fa0,fa0,fa1", 8), init=FLOATS)
    p.row("fclass_x8", "float", repeat("fclass.d a4,fa0", 8), init=FLOATS)
    p.row("fsd_fld_x8", "float", repeat("fsd fa0,0(a1)\nfld fa3,0(a1)\nfadd.d fa4,fa3,fa1", 8), init=FLOATS)
    p.row("fadd_fsd_x8", "float", each(lambda i: f"fadd.d fa3,fa0,fa1\nfsd fa3,{8 * i}(a1)", 8), init=FLOATS)
    p.row("fld_indep_x16", "float", each(lambda i: f"fld ft{i % 6},{8 * i}(a1)", 16), init=FLOATS)
