#!/bin/sh
# caches.sh - caches do not affect results: a build that drops them at random has the same console,
# cycles, sites and findings as the normal one, byte by byte. SUITE=all has each number of harts with each fetch mode.
. "$(dirname "$0")/common.inc"

# same_in_both NAME OPTION...: runs it in both builds; the console and messages, the report and the
# status must be equal. The report holds cycles, instructions, sites and findings.
same_in_both() {
    name=$1
    shift
    for build in "$BUILD" "$BUILD/drop"; do
        rvftrace=$build/rvftrace
        LIMIT=300 run run --report "$work/report" "$@"
        { cat "$out" "$err" "$work/report"; echo "status $status"; } >"$work/$(basename "$build").all"
    done
    rvftrace=$BUILD/rvftrace
    claim "$name is the same run without its caches" cmp "$work/$(basename "$BUILD").all" "$work/drop.all"
}

claim 'there is a build that drops caches' test -x "$BUILD/drop/rvftrace"

demo=$(sed -e '/^ *#/d' -e '/^ *$/d' guest-kernel/scripts/demo.txt | paste -sd ';')
for harts in 1 2 4; do
    for mode in stale coherent random:$harts; do
        case ${SUITE:-}$harts-$mode in
        all* | 1-coherent | 2-random* | 4-stale) ;;
        *) continue ;;
        esac
        same_in_both "the demonstration on $harts harts, $mode," --harts $harts --fetch $mode \
            --append "script=\"$demo\"" "$mcount"
    done
done

T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 1; echo nop > $T/current_tracer; work calls 1"
for layout in mcount atomic; do
    for fence in local remote; do
        for mode in stale coherent random:7; do
            # Stale code may have it run in circles.
            same_in_both "a kernel without its $fence fence, $layout, $mode," --harts 2 --fetch $mode --max-insns 80M \
                --append "script=\"$script\"" "$BUILD/guest-kernel/$layout-no-$fence-fence/kernel.elf"
            claim '... and has findings' test -n "$(rules)"
        done
    done
done
for layout in pfe16 pfe8 callops; do
    same_in_both "the kernel with $layout sites" --harts 4 --audit fail --append "script=\"$script\"" \
        "$BUILD/guest-kernel/$layout/kernel.elf"
done

for mode in stale random:1; do
    same_in_both "old code of which only one version is kept, $mode," --firmware none --harts 4 \
        --fetch $mode --old-code-max 1 --max-insns 10M "$programs/hostile/run-in-turns.elf"
    claim_line '... in which some was left out' '^not kept: .* old words of code' "$err"
done

# One hart changes page tables while others run by them, before they have fenced.
same_in_both 'threads that share their memory' --harts 4 --memory 128M \
    --initrd "$BUILD/guest-kernel/initrd.cpio" --append 'script="/bin/threadtest"' \
    "$BUILD/guest-kernel/none/kernel.elf"
for mode in stale random:3; do
    same_in_both "old translations, of which few are kept, $mode" --harts 2 --translate $mode --translations-max 32 \
        --append "script=\"$script\"" "$mcount"
done

for program in selfpatch freshcode crosspatch sv39 lrsc wrs ipi timer; do
    for mode in stale coherent random:1 random:2; do
        same_in_both "$program, $mode," --harts 2 --fetch $mode "$programs/$program.elf"
    done
done
for program in "$programs"/defects/*.elf; do
    for mode in stale random:1; do
        same_in_both "$(basename "$program"), $mode," --firmware none --harts 2 --fetch $mode \
            --max-insns 200K "$program"
    done
done
finish
