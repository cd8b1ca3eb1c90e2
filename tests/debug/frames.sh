#!/bin/sh
# frames.sh - stack frames and the variables in them: as gdb has them through the gdb server, and
# where gdb cannot look, through the graph tracer's handler and through traps.
. "$(dirname "$0")/common.inc"
kernel=$BUILD/guest-kernel/mcount/kernel.elf

for layout in mcount pfe8 pfe16; do
    sed "$([ "$layout" = mcount ] && echo '/^! optimized out/d')" tests/debug/frames.script >"$work/script"
    about="$layout: "
    session "$work/script" "$rvftrace" debug --console none --append \
        'ftrace=function_graph ftrace_filter=calls_once,calls_run,fib script="work calls 20; work threads"' \
        "$BUILD/guest-kernel/$layout/kernel.elf"
done
about=

# The output of each command below a line `> COMMAND'.
in_gdb() {
    { printf 'set width 0\nset height 0\nset confirm off\n'
      echo "target remote | tests/debug/gdb/server $work/statuses $rvftrace debug --quiet --gdb - --append 'script=\"work calls 3\"' $kernel"
      printf 'tbreak *ackermann\ncontinue\n'
      grep -v '^#' "$1" | while IFS= read -r command; do
          printf 'echo \\n> %s\\n\n%s\n' "$command" "$command"
      done
      printf 'echo \\n> kill\\n\nkill\n'; } >"$work/gdb.commands"
    "${GDB:-gdb-multiarch}" -q -nx "$kernel" <"$work/gdb.commands" 2>&1 |
        sed 's/(gdb) //g; /^Backtrace stopped: /d'
}

in_ours() {
    { printf 'tbreak *ackermann\ncontinue\n'
      grep -v '^#' "$1"
      echo kill; } >"$work/our.commands"
    try "$rvftrace" debug --console none --commands "$work/our.commands" \
        --append 'script="work calls 3"' "$kernel" >"$out" 2>&1 </dev/null
    sed 's/(rvftrace) /\n> /' "$out"
}

list=tests/debug/frames.list
in_gdb $list >"$work/gdb.out"
in_ours $list >"$work/ours.out"
for name in gdb ours; do sed -n '/^> bt$/,/^> kill/p' "$work/$name.out" | grep -v '^$' >"$work/$name"; done
claim 'frames and their variables are as gdb has them' line_count "$(($(grep -vc '^#' $list) + 1))" '^> ' "$work/gdb" \
    and diff "$work/gdb" "$work/ours"
claim '... and both sessions end with status 0' has_status 0 and test "$(cat "$work/statuses")" = 0
finish
