#!/bin/sh
# ftrace-order.sh - each update changes code in Linux's order: the list function, the sites, the
# function for the new set of ops, and the graph caller last.
. "$(dirname "$0")/lib.sh"

run_on_rvftrace() {
    "$BUILD/rvftrace" run --quiet --audit fail --harts 2 --report "$work_dir/report" \
        --append "script=\"$2\"" "$BUILD/guest-kernel/$1/kernel.elf" </dev/null >"$out" 2>"$work_dir/errors"
}

# From the first tracer on: what was patched, and what it calls now (`-`: nothing).
patches() {
    "${CROSS}nm" "$BUILD/guest-kernel/$1/kernel.elf" >"$work_dir/symbols"
    python3 - "$work_dir/report" "$work_dir/symbols" <<'END'
import json, struct, sys

names = {}
for line in open(sys.argv[2]):
    address, kind, name = line.split()
    if kind in 'tT':
        names[int(address, 16)] = name
def called(address, code):
    words = struct.unpack('<%dI' % (len(code) // 4), code)
    for i in range(len(words) - 1):
        if words[i] & 0x7f == 0x17 and words[i + 1] & 0x7f == 0x67:
            high = words[i] & 0xfffff000
            offset = (high - (high >> 31 << 32)) + (words[i + 1] >> 20) - (words[i + 1] >> 31 << 12)
            return names.get((address + 4 * i + offset) & (1 << 64) - 1, '?')
    return '-'
log = [(p['site'], int(p['address'], 16), bytes.fromhex(p['new']))
       for p in json.load(open(sys.argv[1]))['patches']]
start = next(i for i, p in enumerate(log) if p[0] == 'ftrace_call')
for site, address, code in log[start:]:
    if site != 'ftrace_regs_call' and site != 'ftrace_graph_regs_call':
        print(site, called(address, code))
END
}

filter="echo fib even > $T/set_ftrace_filter"
for layout in mcount pfe16 pfe8; do
    run_on_rvftrace $layout "$filter; echo function > $T/current_tracer;
        echo function_graph > $T/current_tracer; echo odd >> $T/set_ftrace_filter; echo nop > $T/current_tracer"
    patches $layout >"$work_dir/patches"
    cat >"$work_dir/expected" <<'END'
ftrace_call ftrace_ops_list_func
fib ftrace_caller
even ftrace_caller
ftrace_call function_trace_call
ftrace_call ftrace_ops_list_func
fib -
even -
ftrace_call ftrace_stub
fib ftrace_caller
even ftrace_caller
ftrace_graph_call prepare_ftrace_return
odd ftrace_caller
fib -
odd -
even -
ftrace_graph_call -
END
    check "$layout: function, function_graph, one site more, nop" \
        diff "$work_dir/expected" "$work_dir/patches"
done
finish
