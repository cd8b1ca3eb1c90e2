"""
sites - rows of call sites: each form, off and on, at each place of a line.

A row calls a small function once, which has the site; `plain` and `fp` are the
same function without one. In the name stands the offset of the function's entry
in a 64-byte line, for forms pg_* that of the site. The forms' names:

  pg_*       the site of -pg after a frame (layouts static and mcount)
  pfe16_*    16 bytes at the entry; pfe8_*: 8 bytes, link register t0
  atomic_*   auipc t0 stays, the second word is a nop or jalr
  callops_*  the same after an 8-byte literal with the address of the ops
  cnop8_*    what -fpatchable-function-entry emits, before it is turned into nops
  *_off      tracing is off; static_off: _mcount with its three compares
  *_stub     on, to a function that only returns
  *_tramp    on, to a trampoline that saves and restores what Linux's does around a stub
  *_graph    the same, and the return address is replaced: back by way of return_to_handler
"""
from flow import pair
from rows import repeat

WIDE = ".option push\n.option norvc\n"
NARROW = ".option pop\n"
BODY = "  add a0,a0,a1\n  xori a0,a0,5\n"
PLAIN = BODY + "  ret\n"

ALIGNMENTS = (0, 2, 60, 62)  # of the first measurement
MORE_ALIGNMENTS = (4, 6, 8, 10, 12, 14, 50, 52, 54, 56, 58)
ATOMIC_ALIGNMENTS = (0, 4, 8, 12, 52, 56, 60)  # what one store can patch
CALLOPS_ALIGNMENTS = (0, 8, 48, 56)
FRAME_BYTES = 14  # compressed instructions between the entry and the site of -pg


def wide(text):
    """Not compressed."""
    return WIDE + text + NARROW


def nops(count):
    return wide(repeat("  nop", count) + "\n")


def compressed_nops(count):
    return repeat("  c.nop", count) + "\n"


def with_frame_pointer(before=""):
    return (before + "  addi sp,sp,-16\n  sd s0,8(sp)\n  addi s0,sp,16\n  ld s0,8(sp)\n" + BODY +
            "  addi sp,sp,16\n  ret\n")


def with_forced_frame(site):
    """A leaf as -pg makes it: arguments in saved registers around the call."""
    return ("  addi sp,sp,-32\n  sd ra,24(sp)\n  sd s0,16(sp)\n  sd s1,8(sp)\n  mv s0,a0\n  mv a0,ra\n"
            "  mv s1,a1\n" + site + "  add a0,s0,s1\n  ld ra,24(sp)\n  ld s0,16(sp)\n  ld s1,8(sp)\n"
            "  xori a0,a0,5\n  addi sp,sp,32\n  ret\n")


def around_return_address(target):
    """The site of pfe16, on."""
    return wide("  sd ra,-8(sp)\n") + pair("ra", "ra", target) + wide("  ld ra,-8(sp)\n") + PLAIN


def atomic_off():
    """The auipc of a site that is off points where it would go."""
    return wide("1: auipc t0,%pcrel_hi(site_stub_t0)\n  nop\n") + PLAIN


MEASURED_FORMS = {
    "plain": PLAIN,
    "fp": with_frame_pointer(),
    "pgframe_nosite": with_forced_frame(""),
    "pg_off": with_forced_frame(nops(2)),
    "pg_call_stub": with_forced_frame(pair("ra", "ra", "site_stub")),
    "pg_calljal_stub": with_forced_frame(wide("  jal site_stub\n")),
    "pg_tramp": with_forced_frame(pair("ra", "ra", "site_tramp")),
    "pfe16_off": nops(4) + PLAIN,
    "pfe8_off": nops(2) + PLAIN,
    "cnop8_off": compressed_nops(8) + PLAIN,
    "cnop4_off": compressed_nops(4) + PLAIN,
    "fp_pfe16_off": with_frame_pointer(nops(4)),
    "fp_pfe8_off": with_frame_pointer(nops(2)),
    "fp_cnop8_off": with_frame_pointer(compressed_nops(8)),
    "pfe16_j12": wide("  j 2f\n  nop\n  nop\n  nop\n") + "2:\n" + PLAIN,
    "pfe16_stub": around_return_address("site_stub"),
    "pfe16_tramp": around_return_address("site_tramp"),
    "pfe8_stub": pair("t0", "t0", "site_stub_t0") + PLAIN,
    "pfe8_tramp": pair("t0", "t0", "site_tramp_t0") + PLAIN,
}

FURTHER_FORMS = {
    "static_off": (with_forced_frame(pair("ra", "ra", "site_static_mcount")), MORE_ALIGNMENTS),
    "static_on": (with_forced_frame(pair("ra", "ra", "site_static_mcount_on")), MORE_ALIGNMENTS),
    "pg_graph": (with_forced_frame(pair("ra", "ra", "site_graph_pg")), MORE_ALIGNMENTS),
    "pfe16_graph": (around_return_address("site_graph_ra"), MORE_ALIGNMENTS),
    "pfe8_graph": (pair("t0", "t0", "site_graph_t0") + PLAIN, MORE_ALIGNMENTS),
    "atomic_off": (atomic_off(), ATOMIC_ALIGNMENTS),
    "atomic_stub": (pair("t0", "t0", "site_stub_t0") + PLAIN, ATOMIC_ALIGNMENTS),
    "atomic_tramp": (pair("t0", "t0", "site_tramp_dest") + PLAIN, ATOMIC_ALIGNMENTS),
    "callops_off": (atomic_off(), CALLOPS_ALIGNMENTS),
    "callops_stub": (pair("t0", "t0", "site_stub_t0") + PLAIN, CALLOPS_ALIGNMENTS),
    "callops_tramp": (pair("t0", "t0", "site_tramp_ops") + PLAIN, CALLOPS_ALIGNMENTS),
}


def measured(p):
    """The rows of the first measurement, in its order."""
    for form, text in MEASURED_FORMS.items():
        for at in ALIGNMENTS:
            site_row(p, form, text, at)
    p.row("site_ref_noCall", "site", "mv a0,s8\nmv a1,s9\nadd a0,a0,a1\nxori a0,a0,5", init="li s8,3\nli s9,4")


def further(p):
    """The same forms elsewhere in a line, and the forms that it left out."""
    for form, text in MEASURED_FORMS.items():
        for at in MORE_ALIGNMENTS:
            site_row(p, form, text, at)
    for form, (text, alignments) in FURTHER_FORMS.items():
        both = ALIGNMENTS + alignments if alignments is MORE_ALIGNMENTS else alignments
        for at in both:
            site_row(p, form, text, at, literal=form.startswith("callops"))
    further_handlers(p)


def site_row(p, form, text, at, literal=False):
    """A function with its entry, or the site in it, at such an offset of a line; and the row that calls it."""
    name = f"site_{form}_{at}"
    behind_frame = form.startswith("pg") or form.startswith("static")
    offset = (at - FRAME_BYTES) % 64 if behind_frame else at
    fill = compressed_nops(offset // 2)
    if literal:  # in the 8 bytes before the entry, which the fill makes place for
        fill = compressed_nops((offset - 8) % 64 // 2) + "  .dword site_ops\n"
    p.function("  .balign 128\n .option push\n .option norvc\n .rept 16\n nop\n .endr\n .option pop\n"
               f" .option push\n .option rvc\n{fill}{name}:\n{text} .option pop\n")
    p.row(f"site_{form}@{at}", "site", f"mv a0,s8\nmv a1,s9\njal {name}", init="li s8,3\nli s9,4")


def saved(store, registers):
    """One store or load for each argument register, from the bottom of the frame."""
    return "".join(f"  {store} a{i},{8 * i}(sp)\n" for i in range(registers))


def handlers(p):
    """What the sites of the first measurement call."""
    frame = "  addi sp,sp,-96\n{link}  sd ra,72(sp)\n" + saved("sd", 8)
    back = saved("ld", 8) + "  ld ra,72(sp)\n{link}  addi sp,sp,96\n  {jump}\n"
    p.function("  .option push\n .option rvc\n .balign 64\nsite_stub: ret\n .balign 16\nsite_stub_t0: jr t0\n"
               "  .balign 64\nsite_tramp:\n" + frame.format(link="") + "  call site_stub\n" +
               back.format(link="", jump="ret") +
               "  .balign 64\nsite_tramp_t0:\n" + frame.format(link="  sd t0,64(sp)\n") + "  call site_stub\n" +
               back.format(link="  ld t0,64(sp)\n", jump="jr t0") + "  .option pop\n")


def further_handlers(p):
    """Those of the other forms: _mcount of static, trampolines that load their tracer, return hooks."""
    frame = "  addi sp,sp,-96\n  sd t0,64(sp)\n  sd ra,72(sp)\n" + saved("sd", 8)
    back = saved("ld", 8) + "  ld ra,72(sp)\n  ld t0,64(sp)\n  addi sp,sp,96\n  jr t0\n"
    compares = ("  la t4,site_stub\n  la t3,{variable}\n  ld t5,0(t3)\n"
                "  bne t5,t4,1f\n  la t3,site_graph_return\n  ld t5,0(t3)\n  bne t5,t4,2f\n"
                "  la t3,site_graph_entry\n  ld t5,0(t3)\n  bne t5,t4,2f\n2: ret\n"
                "1: addi sp,sp,-16\n  sd s0,0(sp)\n  sd ra,8(sp)\n  mv a1,ra\n  jalr t5\n"
                "  ld s0,0(sp)\n  ld ra,8(sp)\n  addi sp,sp,16\n  ret\n")
    p.function("  .option push\n  .option rvc\n"
               "  .balign 64\nsite_static_mcount:\n" + compares.format(variable="site_trace_off") +
               "  .balign 64\nsite_static_mcount_on:\n" + compares.format(variable="site_trace_on") +
               "  .balign 64\nsite_tramp_dest:\n" + frame +
               "  la t1,site_trace_on\n  ld t1,0(t1)\n  jalr t1\n" + back +
               "  .balign 64\nsite_tramp_ops:\n  ld t1,-16(t0)\n  ld t2,8(t1)\n  bnez t2,1f\n" + frame +
               "  ld t1,0(t1)\n  jalr t1\n" + back + "1: jr t2\n" +
               return_hooks() + "  .option pop\n"
               "  .pushsection .data.rows,\"aw\"\n  .balign 64\nsite_trace_off: .dword site_stub\n"
               "site_trace_on: .dword site_stub_other\nsite_graph_return: .dword site_stub\n"
               "site_graph_entry: .dword site_stub\nsite_ops: .dword site_stub_other, 0\n"
               "site_shadow_top: .dword site_shadow\nsite_shadow: .skip 64\n  .popsection\n"
               "  .balign 64\nsite_stub_other: ret\n")


def return_hooks():
    """
    Trampolines that put the caller's return address on a shadow stack and return_to_handler in
    its place: in the frame of -pg, in the slot of pfe16, in ra for the pair with t0.
    """
    push = ("  la t1,site_shadow_top\n  ld t2,0(t1)\n  sd {old},0(t2)\n  addi t2,t2,8\n  sd t2,0(t1)\n"
            "  la t1,site_return_to_handler\n")
    return ("  .balign 64\nsite_graph_pg:\n  addi sp,sp,-16\n  sd ra,8(sp)\n  ld t3,40(sp)\n" +
            push.format(old="t3") + "  sd t1,40(sp)\n  ld ra,8(sp)\n  addi sp,sp,16\n  ret\n"
            "  .balign 64\nsite_graph_ra:\n  ld t3,-8(sp)\n" + push.format(old="t3") + "  sd t1,-8(sp)\n  ret\n"
            "  .balign 64\nsite_graph_t0:\n" + push.format(old="ra") + "  mv ra,t1\n  jr t0\n"
            "  .balign 64\nsite_return_to_handler:\n  addi sp,sp,-32\n  sd a0,0(sp)\n  sd a1,8(sp)\n"
            "  la t1,site_shadow_top\n  ld t2,0(t1)\n  addi t2,t2,-8\n  sd t2,0(t1)\n  ld ra,0(t2)\n"
            "  ld a0,0(sp)\n  ld a1,8(sp)\n  addi sp,sp,32\n  ret\n")
