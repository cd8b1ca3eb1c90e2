#!/bin/sh
# user-code.sh - programs that write code: the mistakes of guest/user/ujit.c are found, each under the name of its rule,
# and a program that asks the kernel for its fences is right, on whatever hart it runs.
. "$(dirname "$0")/common.inc"

# ujit HARTS FETCH [MODE]
ujit() {
    run run --quiet --harts "$1" --fetch "$2" --max-insns 200M --initrd "$BUILD/guest-kernel/initrd.cpio" \
        --append "script=\"ujit ${3:-}\"" "$BUILD/guest-kernel/pfe8/kernel.elf"
}

for fetch in stale coherent random:1; do
    for harts in 2 4; do
        for mode in '' protect move; do
            # shellcheck disable=SC2086 # no mode is no word
            ujit $harts $fetch $mode
            claim "ujit $mode, $harts harts, $fetch: runs its new code" \
                has_line '^ujit .*: 10 of 10 calls ran the new code' "$out"
            claim '... and breaks no rule' rules_are ''
        done
    done
    for mode in live part jump; do
        ujit 2 $fetch $mode
        claim "ujit $mode, $fetch: another thread runs the instruction while it is replaced" \
            has_line "^ujit $mode: never torn" "$out"
        claim '... and breaks no rule' rules_are ''
    done
    for mode in noflush here early late; do
        ujit 2 $fetch $mode
        claim "ujit $mode, $fetch: the other thread's hart has not fenced" rules_are missing-remote-fence
    done
    ujit 2 $fetch pair
    claim "ujit pair, $fetch: two instructions that belong together are replaced one by one" rules_are split-store
    for mode in both tail; do
        ujit 2 $fetch $mode
        claim "ujit $mode, $fetch: another thread may be between what is replaced" rules_are split-store
    done
    ujit 2 $fetch halves
    claim "ujit halves, $fetch: an instruction is replaced by two stores" rules_are split-store
    ujit 2 $fetch misaligned
    claim "ujit misaligned, $fetch: an instruction is replaced by a store across eight bytes" rules_are misaligned-patch
    ujit 2 $fetch merge
    claim "ujit merge, $fetch: another thread may be between two short instructions that become one" \
        rules_are merge-while-running
    ujit 1 $fetch own
    claim "ujit own, $fetch: it has not fenced itself" rules_are missing-local-fence
done

# The other thread first runs on this hart when the code was written many times.
for mode in live part jump; do
    ujit 1 stale $mode
    claim "ujit $mode, on one hart: another thread runs the instruction while it is replaced" \
        has_line "^ujit $mode: never torn" "$out"
    claim '... and breaks no rule' rules_are ''
done

# The next program's task is at the same address, and begins after a system call as that one ended.
run run --quiet --max-insns 200M --append 'script="i=0; while test $i -lt 10; do cat /dev/zero > /dev/null & sleep 0.002
    kill $!; wait; i=$((i+1)); done; echo the end"' "$BUILD/guest-kernel/mcount/kernel.elf"
claim 'a program that is killed while it is interrupted is not taken for the next one' rules_are ''
claim '... and all were killed' has_line '^the end' "$out"
finish
