#!/bin/sh
# guest-terminal.sh - the guest's shell at a terminal: editing, ^C, ^D, on rvftrace and on QEMU.
. "$(dirname "$0")/common.inc"

talk=$(dirname "$0")/talk.py

# conversation WHERE COMMAND...: the steps are standard input.
conversation() {
    where=$1
    shift
    cat >"$work/steps"
    try "$talk" "${LIMIT:-300}" "$@" <"$work/steps" >"$out" 2>"$err"
    tr -d '\r' <"$out" >"$work/console"
}

for machine in rvftrace QEMU; do
    case $machine in
    rvftrace) set -- "$rvftrace" run --quiet --audit fail --harts 2 "$mcount" ;;
    QEMU) set -- qemu-system-riscv64 -machine virt -m 128M -smp 2 -display none -monitor none \
        -serial stdio -no-reboot -kernel "$mcount" ;;
    esac

    conversation $machine "$@" <<'EOS'
wait # 
keys ecko\x7f\x7fho tw\x15echo one\r
wait one
wait # 
send cat
keys a line\r\x04
wait a line
wait a line
wait # 
keys thrown away\x03
wait ^C
wait # 
send echo 'g'o; while true; do :; done
wait go
pause 0.5
keys \x03
wait ^C
wait # 
send echo 'g'o; yes | cat | cat > /dev/null
wait go
pause 0.5
keys \x03
wait ^C
wait # 
send echo status $?
wait status 130
send echo 'g'o; cat /dev/zero > /dev/null
wait go
pause 0.5
keys \x03
wait ^C
wait # 
send if true
wait > 
send then echo 'two
wait > 
send lines'; fi
wait two
wait lines
wait # 
send (while :; do usleep 1000; done) & echo started; kill $!; wait $!; echo ended $?
wait ended 143
send cat; echo between
wait between
keys \x04
wait between
send exit 0
EOS
    claim "$machine: the conversation came to its end" has_status 0
    claim_line "$machine: what was erased is not in the command" '^one$' "$work/console"
done
finish
