#!/bin/sh
# ftrace-selftest.sh - the tracers pass their own tests at boot, with Linux's figures.
. "$(dirname "$0")/lib.sh"

n='[1-9][0-9]*'
# says WHERE: what the console has after `ftrace_selftest`.
says() {
    check "$1: function" console_has '\[.*\] Testing tracer function: PASSED'
    check "$1: a filter lets through the one call it names" console_has '\[.*\] Testing dynamic ftrace: PASSED'
    check "$1: several ops beside a tracer count as Linux's do" console_has \
        "\[.*\] Testing dynamic ftrace ops #1: \(1 0 1 0 0\) \(1 1 2 0 0\) \(2 1 3 0 $n\) \(2 2 4 0 $n\) \(3 2 4 0 $n\) \(3 3 5 0 $n\) PASSED"
    check "$1: several ops without one do" console_has \
        "\[.*\] Testing dynamic ftrace ops #2: \(1 0 1 $n 0\) \(1 1 2 $n 0\) \(2 1 3 $n $n\) \(2 2 4 $n $n\) \(3 2 4 $n $n\) \(3 3 5 $n $n\) PASSED"
    check "$1: recursion is cut off" console_has '\[.*\] Testing ftrace recursion: PASSED'
    check "$1: who guards himself is called once" console_has '\[.*\] Testing ftrace recursion safe: PASSED'
    check "$1: registers" console_has '\[.*\] Testing ftrace regs(\(no arch support\))?: PASSED'
    check "$1: function_graph" console_has '\[.*\] Testing tracer function_graph: PASSED'
    check "$1: nop" console_has '\[.*\] Testing tracer nop: PASSED'
    check "$1: the kernel goes on" console_has 'work calls: n=1 .*'
}

BOOTARGS=ftrace_selftest
run_guest atomic 2 'work calls 1'
says 'atomic, harts=2, QEMU'
for layout in mcount pfe16 pfe8 atomic callops; do
    run_guest $layout 1 'work calls 1'
    says "$layout, QEMU"
    for harts in 1 2 4; do
        run_on_rvftrace $layout $harts 'work calls 1'
        says "$layout, harts=$harts, rvftrace"
    done
done
finish
