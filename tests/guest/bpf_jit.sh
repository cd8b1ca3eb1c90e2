#!/bin/sh
# bpf_jit.sh - compiled programs of BPF do what the interpreter does, their text is nothing but instructions, and it comes
# and goes while other harts run it, under the auditor. SEEDS=N: N times as many random programs, of its own and of the fuzzer.
. "$(dirname "$0")/lib.sh"

claims=$(cat guest/user/bpfjit.c guest/user/bpftest/*.c | grep -c '^ *check("')
count=$((${SEEDS:-1} * 220))
"$BUILD/tests/bpf_fuzz" write $((${SEEDS:-1} * 1000)) >"$work/fuzz"
(cat "$BUILD/guest-kernel/initrd.cpio" && cd "$work" && echo fuzz | cpio --quiet -o -H newc) >"$work/initrd"
try timeout 3600 "$BUILD/rvftrace" run --quiet --audit fail --memory 64M --harts 4 --seed 7 --initrd "$work/initrd" \
    --append "script=\"cat /proc/sys/net/core/bpf_jit_enable; echo 1 > /proc/sys/net/core/bpf_jit_enable; bpftest; echo 1 > $T/options/stacktrace; bpfjit;
        bpfjit random $count; bpfjit file /fuzz; bpfjit detach 10; bpfjit text 20\"" \
    "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null >"$work/raw" 2>"$err"
tr -d '\r' <"$work/raw" >"$out"
claim 'it is off at first, as in Linux on RISC-V' test "$(grep -A1 'cat /proc.*bpf_jit_enable' "$out" | sed -n 2p)" = 0
claim 'every claim of bpfjit holds, and of bpftest with compiled programs, without a finding' guest_claims "$claims"
claim_line 'text is freed while another hart runs it' '^programs came and went$' "$out"

# The texts of all programs in a row, as objdump reads them: what is no instruction has no name there.
decodes() {
    grep '^text ' "$out" | python3 -c "import struct, sys
words = [int(w, 16) for line in sys.stdin for w in line.split()[2:]]
open(sys.argv[1], 'wb').write(struct.pack(f'<{len(words)}I', *words))
print(len(words))" "$work/text" >"$work/words"
    "${CROSS}objdump" -D -b binary -m riscv:rv64 "$work/text" | grep '^ *[0-9a-f]*:' >"$work/insns"
    test "$(cat "$work/words")" -gt 2000 && test "$(wc -l <"$work/insns")" -eq "$(cat "$work/words")" &&
        no_line '\.[248]byte|\.insn|\.short|\.word|unimp|ebreak|unknown' "$work/insns"
}

# The debugger follows stacks through a program, from the helper that it calls and from each instruction of its end.
try "$BUILD/rvftrace" debug -batch --memory 64M --console none --initrd "$BUILD/guest-kernel/initrd.cpio" \
    --append 'script="bpfjit"' "$BUILD/guest-kernel/pfe8/kernel.elf" >"$work/session" 2>&1 <<'END'
break bpf_trace_printk
continue
bt
finish
stepi
bt
stepi 4
bt
END
follows() {
    has_status 0 && grep -q '^#1 .* in bpf_prog_[0-9a-f]\{16\}_random ()' "$work/session" &&
        test "$(grep -A1 '^#0 .* in bpf_prog_[0-9a-f]\{16\}_random ()' "$work/session" | grep -c '^#1 .* in bpf_prog_run ')" = 2
}
claim 'the debugger follows stacks through a program' follows
claim 'all words of their texts are instructions' decodes
finish
