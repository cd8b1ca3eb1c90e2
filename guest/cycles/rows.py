"""rows - the frame of a measured row, and the assembly of all of them.

A row is a body that a loop runs N times, once to warm up and once measured.
The loop's head stands at a 64-byte line. What the loop itself takes (addi and
bnez) is in the figure; tools/cycles subtracts it. `results` has 32 bytes a row:
N, cycles, instructions; `row_names` a string "name group" for each.

Registers: s0 counts the loop, s1 the passes, s2 points at the result, s3 to s6
hold the counters, s7 is N. A body has s8 to s11, a0 to a7, t0 to t6 and ra.
"""
import dataclasses

ITERATIONS = 128


@dataclasses.dataclass(frozen=True)
class Row:
    """A row's name, the group it counts in, and how often its loop runs."""

    name: str
    group: str
    iterations: int


def repeat(text, count):
    """The same lines again and again."""
    return "\n".join([text] * count)


def each(line, count):
    """The lines that line(i) gives for each i from 0."""
    return "\n".join(line(i) for i in range(count))


class Program:
    """Collects rows, and functions that they call; all rows come first."""

    def __init__(self):
        self.rows = []
        self.lines = []
        self.functions = []

    def function(self, text):
        """Assembly that follows the rows."""
        self.functions.append(text)

    def flush_functions(self):
        """Puts the functions so far after the rows so far: later rows do not move them."""
        self.lines += ["  tail rows_go_on", *self.functions_text(), "rows_go_on:"]
        self.functions = []

    def functions_text(self):
        return ["  .option push", "  .option norvc", *self.functions, "  .option pop"]

    def row(self, name, group, body, *, init="", once="", n=ITERATIONS, rvc=False, far=False,
            supervisor=False):
        """
        One row. `init` runs before each pass, `once` before the first; `far`: the body
        is longer than a branch reaches; `supervisor`: in S-mode with translation.
        """
        self.rows.append(Row(name, group, n))
        k = len(self.rows)
        counters = ("instret", "cycle") if supervisor else ("minstret", "mcycle")
        back = f"  beqz s0, row{k}_done\n  j row{k}_head\nrow{k}_done:" if far else f"  bnez s0, row{k}_head"
        self.lines.append(f"""
  .option push
  .option norvc
  la s2, results + {32 * (k - 1)}
{"  call translation_on" if supervisor else ""}
{once}
  li s7, {n}
  li s1, 2
row{k}_pass:
  li s0, {n}
{init}
{"  call enter_supervisor" if supervisor else ""}
  csrr s3, {counters[0]}
  csrr s4, {counters[1]}
  j row{k}_head
  .balign 64
row{k}_head:
  .option push
  .option {"rvc" if rvc else "norvc"}
{body}
  .option pop
  addi s0, s0, -1
{back}
  csrr s5, {counters[1]}
  csrr s6, {counters[0]}
{"  call leave_supervisor" if supervisor else ""}
  addi s1, s1, -1
  beqz s1, row{k}_report
  j row{k}_pass
row{k}_report:
  call row_report
  .option pop""")

    def assembly(self):
        """The whole file."""
        names = "\n".join(f'  .asciz "{row.name} {row.group}"' for row in self.rows)
        return "\n".join(["""
  .section .text.rows, "ax"
  .option norelax
  .org 0x40
  .globl rows_body
rows_body:
  addi sp, sp, -16
  sd ra, 8(sp)""", *self.lines, """
  ld ra, 8(sp)
  addi sp, sp, 16
  ret""", *self.functions_text(), f"""
  .section .rodata
  .globl row_names, row_count
  .balign 8
row_count: .dword {len(self.rows)}
row_names:
{names}
  .section .data.rows, "aw"
  .balign 64
buf: .rept 512
  .dword 1
  .endr
self: .dword self
"""])
