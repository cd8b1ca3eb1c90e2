#!/bin/sh
# frames.sh - stack frames and the variables in them: as gdb has them through the gdb server, and
# where gdb cannot look, through the graph tracer's handler and through traps.
set -eu
build=${BUILD:-build}
kernel=$build/guest-kernel/mcount/kernel.elf
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
failed=0

for layout in mcount pfe8 pfe16; do
    sed "$([ "$layout" = mcount ] && echo '/^! optimized out/d')" tests/debug/frames.script >"$dir/script"
    tests/debug/session "$dir/script" "$build/rvftrace" debug --console none --append \
        'ftrace=function_graph ftrace_filter=calls_once,calls_run,fib script="work calls 20; work threads"' \
        "$build/guest-kernel/$layout/kernel.elf" >"$dir/said" || failed=1
    sed "s/ - debug/ - $layout: debug/" "$dir/said"
done

# The output of each command below a line `> COMMAND'.
in_gdb() {
    { printf 'set width 0\nset height 0\nset confirm off\n'
      echo "target remote | $build/rvftrace debug --quiet --gdb - --append 'script=\"work calls 3\"' $kernel"
      printf 'tbreak *ackermann\ncontinue\n'
      grep -v '^#' "$1" | while IFS= read -r command; do
          printf 'echo \\n> %s\\n\n%s\n' "$command" "$command"
      done
      printf 'echo \\n> kill\\n\nkill\n'; } >"$dir/gdb.commands"
    "${GDB:-gdb-multiarch}" -q -nx "$kernel" <"$dir/gdb.commands" 2>&1 |
        sed 's/(gdb) //g; /^Backtrace stopped: /d'
}

in_ours() {
    { printf 'tbreak *ackermann\ncontinue\n'
      grep -v '^#' "$1"
      echo kill; } >"$dir/our.commands"
    "$build/rvftrace" debug --console none --commands "$dir/our.commands" \
        --append 'script="work calls 3"' "$kernel" 2>&1 </dev/null | sed 's/(rvftrace) /\n> /'
}

list=tests/debug/frames.list
in_gdb $list | sed -n '/^> bt$/,/^> kill/p' | grep -v '^$' >"$dir/theirs" || :
in_ours $list | sed -n '/^> bt$/,/^> kill/p' | grep -v '^$' >"$dir/ours" || :
if [ "$(grep -c '^> ' "$dir/theirs")" -eq "$(($(grep -vc '^#' $list) + 1))" ] &&
    diff "$dir/theirs" "$dir/ours" >"$dir/diff"; then
    echo 'ok - frames and their variables are as gdb has them'
else
    echo 'not ok - frames and their variables are as gdb has them'
    sed 's/^/# /' "$dir/diff"
    failed=1
fi
exit $failed
