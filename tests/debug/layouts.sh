#!/bin/sh
# layouts.sh - a site in each layout in the debugger: off, during a patch, and on.
. "$(dirname "$0")/common.inc"

# in_layout NAME FIRST-STORE OFF ON AT-ENTRY: the debugger's output, as regular expressions.
in_layout() {
    cat >"$work/script" <<END
> sites fib
function  init
> tbreak kernel_init
breakpoint 1
> continue
> sites fib
<fib[^>]*>  function  off
> watch-patch fib
watching 1 site
> continue
by:  hart 0 in patch_insn_write
was: $3\n
is:  $2
> icache fib
a site\n    memory  .*\n    hart 0  .*\n +stale since the store by hart 0 in patch_insn_write
> tbreak fib
breakpoint 2
> continue
breakpoint 2
> sites fib
function  on -> ftrace_caller
> patches fib
new: $4 <ftrace_caller>
fenced: hart 0 fence.i
> icache fib
<fib>(, a site)?\n    memory  $5
> findings
no findings so far
> tbreak function_trace_call
breakpoint 3
> continue
breakpoint 3
> backtrace 4
#1  0x[0-9a-f]+ in ftrace_caller
#2  0x[0-9a-f]+ in fib \\(n=n@entry=[89]\\) at
#3  0x[0-9a-f]+ in (calls_once|fib) \\(
> info watchpoints
No watchpoints.
> watch \$a0
cannot watch a register, only memory
> commands 99
No breakpoint number 99.
> thread 99
Unknown thread 99\\.
> quit
END
    about="$1: "
    session "$work/script" "$rvftrace" debug --console none \
        --append "script=\"echo fib > $tracing/set_ftrace_filter; echo function > $tracing/current_tracer; work calls 1\"" \
        "$BUILD/guest-kernel/$1/kernel.elf"
}

auipc='auipc [rt][a0],0x[0-9a-f]+' jalr='jalr (t0,)?-?[0-9]+.[rt][a0].'
# Half of an instruction, where fib is at a 2-byte boundary: it may be a part of two words.
in_layout mcount "[a-z.]+ " 'nop; nop' "$auipc; $jalr" '.* addi sp,sp,-'
in_layout pfe16 '[a-z.]+[ ;].*nop' 'nop; nop; nop; nop' \
    "sd ra,-8.sp.; $auipc; $jalr; ld ra,-8.sp." '23 3c 11 fe sd ra,-8.sp.'
in_layout pfe8 "[a-z.]+ " 'nop; nop' "$auipc; $jalr" ".* auipc t0,"
in_layout atomic "$auipc; $jalr <ftrace_caller>" "$auipc; nop" "$auipc; $jalr" '.* auipc t0,'
in_layout callops "$auipc; $jalr <ftrace_caller>" "$auipc; nop" "$auipc; $jalr" '.* auipc t0,'
finish
