#!/bin/sh
# make.sh - makes the pictures of the documents again: sh docs/pictures/make.sh, in the checkout.
#
# It needs what `make view` and `make guest LAYOUT=L' (pfe8; mcount; mcount with BREAK=no-remote-fence) have built, and
# chromium. The runs are the same each time; where in them a picture is taken is found by their finding.
set -eu
build=$(realpath "${BUILD:-build}")
pictures=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" # pictures show the names of logs and images
ln -s "$build" build

# Patches fib on hart 0 while hart 1 calls it.
record() { # LAYOUT LOG
    build/rvftrace run --quiet --audit=warn --harts 4 --log "$2" --append 'script="work calls 8000 & sleep 0.01;
        echo fib > /sys/kernel/tracing/set_ftrace_filter;
        echo function > /sys/kernel/tracing/current_tracer; wait"' "build/guest-kernel/$1/kernel.elf" </dev/null >"$2.console" 2>&1 ||
        { cat "$2.console"; exit 1; }
}

picture() { # NAME OPTIONS... LOG...
    name=$1
    shift
    build/rvftrace view --no-cache --screenshot "$pictures/$name.png" "$@"
}

record mcount good.log
record mcount-no-remote-fence run.log
build/rvftrace log --list run.log >list
finding=$(awk '$5 == "finding" { print $1; exit }' list)
begin=$(sed -n 's/.* update .*cycles \([0-9]*\) to .*/\1/p' list | sed -n 2p)
# The step in which hart 0 fences after it has patched fib.
step=$(awk -v begin="$begin" '$1 < begin && !n || $5 !~ /^(store|fence.i|stale|finding)$/ { next }
    { n++ } $5 == "fence.i" && fib { print n; exit } / site of fib: / { fib = 1 }' list)

picture view-run --go finding --size 1280x720 run.log
picture view-finding --go finding --at $((finding - 88000))..$((finding + 32000)) --size 1280x452 run.log
picture view-range --at $((finding - 107000))..$((finding + 43000)) --select $((finding - 57000))..$((finding + 3000)) --size 1280x720 run.log
picture view-update --go update:2 --step "$step" --size 1280x720 run.log
picture view-compare --select 20M..60M --size 1280x720 good.log run.log

build/rvftrace run --quiet --harts 2 --html run.html --append 'script="work tree 1; echo function > /sys/kernel/tracing/current_tracer;
    work calls 2; echo nop > /sys/kernel/tracing/current_tracer"' build/guest-kernel/pfe8/kernel.elf </dev/null >console 2>&1
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --window-size=1180,1230 \
    --screenshot="$pictures/report-page.png" "file://$work/run.html" >chromium.log 2>&1 || { tail -n 3 chromium.log; exit 1; }
