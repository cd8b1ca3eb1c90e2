#!/bin/sh
# shell-leaks.sh - what scripts use up comes back: memory and descriptors.
. "$(dirname "$0")/lib.sh"

cat >"$work/leaks.sh" <<'EOS'
# Stacks and page tables of tasks that have ended are freed later, on a busy host much later.
free() { sleep 0.5; grep MemFree /proc/meminfo | cut -c 18-24; }
everything() {
    x=$(echo one | cat | grep o)
    for f in /* /sys/kernel/tracing/*; do y=$f; done
    echo $x >/tmp1; wc -l </tmp1 >/dev/null; mv /tmp1 /tmp2; rm /tmp2; mkdir /d; rmdir /d
    (true) & wait
    sh -c 'exit 3'
    case $x in o*) z=${x%e} ;; esac
    cat <<E >/dev/null
    $x
E
    seq 10 | sort -r | tail -n 2 >/dev/null; yes | head -n 1 >/dev/null
    ls /none 2>/dev/null; eval 'w=$((1+2))'; test -f /leaks.sh -a 1 = 1; false | true
}
round() { for i in $(seq 12); do everything; done; }
round
before=$(free)
round; round
after=$(free)
# Slabs may keep a page here and there.
[ $((before - after)) -le 64 ] && echo "memory is back" || echo "$((before - after)) kB are gone"
exec 9</dev/null && echo "descriptors are back"
EOS
(cd "$work" && echo leaks.sh | cpio -o -H newc --quiet) >"$work/initrd"

for run in 'none 1' 'mcount 4'; do
    run_on_rvftrace ${run% *} ${run#* } 'sh /leaks.sh' --initrd "$work/initrd"
    claim "rvftrace, $run: memory is back" has_status 0 and has_line '^memory is back$' "$out"
    claim_line "rvftrace, $run: descriptors are back" '^descriptors are back$' "$out"
    run_guest ${run% *} ${run#* } 'sh /leaks.sh' -initrd "$work/initrd"
    claim_line "QEMU, $run: memory is back" '^memory is back$' "$out"
done
finish
