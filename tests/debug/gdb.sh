#!/bin/sh
# gdb.sh - the real gdb with the guest kernel, on one and two harts, over a pipe, a socket in the file
# system and TCP.
. "$(dirname "$0")/common.inc"
kernel=$BUILD/guest-kernel/mcount/kernel.elf
tracer=/sys/kernel/tracing/current_tracer
about="gdb: "

# Of the servers behind a pipe.
server="tests/debug/gdb/server $work/statuses $rvftrace"
in_gdb() { # SCRIPT REMOTE
    session "tests/debug/gdb/$1.script" tests/debug/gdb/client "$kernel" "$2"
}

in_gdb one "| $server debug --quiet --gdb - --append 'script=\"echo function > $tracer; work calls 1; poweroff\"' $kernel"
in_gdb switch "| $server debug --quiet --harts 2 --gdb - --append 'script=\"echo function > $tracer; work calls 1; echo function_graph > $tracer; work calls 1; echo nop > $tracer; work calls 1; poweroff\"' $kernel"

# gdb's output with these commands, in a file of this name.
attach() { # name, remote, command...
    name=$1
    remote=$2
    shift 2
    timeout 300 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' -ex "target remote $remote" "$@" "$kernel" \
        >"$work/$name.out" 2>&1
}

# ---- the run is the same with gdb and without ----

append="script=\"echo function_graph > $tracer; work tree 1; poweroff\""
cat >"$work/busy" <<'C'
hbreak start_kernel
continue
stepi 40
delete
rwatch ftrace_ops_list
watch ftrace_graph_return
continue
continue
stepi
next
reverse-continue
reverse-stepi 20
delete
break schedule
continue
stepi 40
thread 2
stepi 30
thread 1
continue
next
finish
delete
tbreak tree_run
continue
break tree_insert if key > 100
continue
up
step 3
reverse-next
delete
continue
C
try "$rvftrace" run --quiet --harts 2 --console none --report "$work/plain.json" --append "$append" "$kernel" 2>"$work/plain.out"
timeout 300 "${GDB:-gdb-multiarch}" -nx -q -iex 'set confirm off' -iex 'set pagination off' \
    -ex "target remote | $server debug --quiet --harts 2 --console none --report $work/busy.json --gdb - --append '$append' $kernel" \
    "$kernel" <"$work/busy" >"$work/busy.out" 2>&1
claim_line "the session did all that" 'hit Breakpoint .*tree_insert' "$work/busy.out"
claim "stops and steps change nothing in the run" has_status 0 and cmp "$work/plain.json" "$work/busy.json"

# ---- a program in the guest: its memory is there only while it runs; the shell has other code at the same address ----

attach program "| $server debug --quiet --initrd $BUILD/guest-kernel/initrd.cpio --gdb - --append 'script=\"hello; hello; poweroff\"' $kernel" \
    -ex "add-symbol-file $BUILD/guest-kernel/user/bin/hello" -ex 'break main if argc == 1' -ex continue -ex 'info registers priv' \
    -ex next -ex continue -ex reverse-continue -ex 'print argc'
claim "a breakpoint in a program is met in each run of it, and on the way back" \
    line_count 3 'Breakpoint 1, main \(argc=1' "$work/program.out"
claim_line "there the hart is in U-mode" 'User/Application' "$work/program.out"
claim "each server behind a pipe ends with status 0" test "$(xargs <"$work/statuses")" = '0 0 0 0'

# ---- gdb is impatient: it sends `-' while a reply takes long ----

# replies COUNT BYTES: COUNT replies to qC come.
replies() {
    printf %s "$2" >"$work/packets"
    try "$rvftrace" debug --quiet --gdb - "$kernel" <"$work/packets" >"$out" 2>"$err"
    tr '$' '\n' <"$out" >"$work/replies"
    has_status 0 && line_count "$1" '^QC' "$work/replies"
}
claim "a reply is not sent again for gdb's impatience" replies 2 '$QStartNoAckMode#b0+$qC#b4--$qC#b4$k#6b'
claim "... nor with acknowledgements" replies 2 '$qC#b4--+$qC#b4+$k#6b'

# ---- gdb/MI, as front ends use it ----

# MI has a syntax of its own for quotes, so the command is in a file.
printf '%s\n' "exec $rvftrace debug --quiet --harts 2 --console none --gdb - --append '$append' $kernel" >"$work/mi.sh"
cat >"$work/mi" <<C
1-file-exec-and-symbols $kernel
2-target-select remote | sh $work/mi.sh
3-break-insert -t start_kernel
4-exec-continue
5-exec-next
6-thread-info
7-data-list-register-values x 32
8-break-watch ftrace_ops_list
9-exec-continue
10-exec-step-instruction --reverse
11-exec-continue --reverse
12-gdb-exit
C
timeout 300 "${GDB:-gdb-multiarch}" -nx -i=mi <"$work/mi" >"$work/mi.out" 2>&1
claim "MI: a breakpoint and a step" line_count 2 'stopped,reason="(breakpoint-hit|end-stepping-range)".*func="start_kernel"' "$work/mi.out"
claim_line "MI: threads and registers" '^7\^done,register-values=.*0xffffffff8' "$work/mi.out"
claim_line "MI: a watchpoint" 'reason="watchpoint-trigger".*new="[^"]*graph_ops' "$work/mi.out"
claim "MI: back to the beginning" line_count 2 '^[*]stopped,.*addr="0x0000000080200000"' "$work/mi.out"

# ---- a guest that runs: attach, let it go, attach again, end it ----

start() { # where, more options
    "$rvftrace" run --harts 2 --console "$work/console" --gdb "$@" --append 'script="work tree 1000000"' \
        "$kernel" 2>"$work/rvftrace.out" &
    guest=$!
    for _ in $(seq 100); do
        # The whole line: its end is a newline.
        grep -q 'can connect' "$work/rvftrace.out" && [ -z "$(tail -c 1 "$work/rvftrace.out")" ] && return
        sleep 0.1
    done
}

start "$work/socket"
attach first "$work/socket" -ex 'break tree_insert' -ex continue -ex detach
claim_line "a guest that runs stops for gdb" 'hit Breakpoint 1, tree_insert' "$work/first.out"
attach second "$work/socket" -ex 'print cpu_online_mask' -ex stepi -ex kill
claim_line "gdb can attach again" '= .*3' "$work/second.out"
try wait $guest
claim "kill ends the run, with status 0" has_status 0
claim "the socket is removed" test ! -e "$work/socket"

for where in 65536 :70000 -1 0x10 80x a:b:c "$(printf '%0200d' 0)" ''; do
    try "$rvftrace" debug --gdb "$where" "$kernel" >"$out" 2>"$err" </dev/null
    claim "--gdb '$(printf %.9s "$where")' is refused in one line" has_status 64 and line_count 1 'rvftrace: error' "$err"
done

# posts FILE OPTIONS...: a page of a browser sends the packet of `monitor save FILE' to the port; then gdb does. What gdb was told is in $out.
posts() {
    file=$1
    shift
    python3 - "$file" "$rvftrace" debug -q --console none --gdb 0 "$@" "$kernel" >"$out" 2>"$err" <<'PY'
import re, socket, subprocess, sys
emulator = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
said = emulator.stderr.readline()
port = int(re.search(r":(\d+)$", said).group(1))
def packet(text):
    return b"$" + text + b"#%02x" % (sum(text) & 255)
save = packet(b"qRcmd," + b"save " .hex().encode() + sys.argv[1].encode().hex().encode())
page = socket.create_connection(("127.0.0.1", port))
page.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + save)
page.settimeout(20)
try:
    print("page:", page.recv(100))
except ConnectionResetError:
    print("page: b''")
gdb = socket.create_connection(("127.0.0.1", port))
gdb.settimeout(20)
gdb.sendall(save)
told = b""
while b"#" not in told.replace(b"+", b"")[-3:-2]:
    told += gdb.recv(1000)
print("gdb:", bytes.fromhex(told.split(b"$")[1].split(b"#")[0].decode()) if b"$O" not in told else
      b"".join(bytes.fromhex(part[1:].split(b"#")[0].decode()) for part in told.split(b"$")[1:] if part[:1] == b"O" and part[1:2] != b"K"))
emulator.terminate()
print("said:", said + emulator.stderr.read())
emulator.wait()
PY
}
posts "$work/saved.rvs"
claim 'a peer whose first bytes are no packet is hung up on' has_line "^page: b''" "$out" and has_line 'what came first was no packet of gdb' "$out"
claim '... and --quiet says a port that was chosen' has_line 'gdb can connect: target remote 127.0.0.1:[0-9]' "$out"
claim '... and then gdb can connect, which has no file written' has_line '^gdb: .*--gdb-write FOLDER' "$out" and test ! -e "$work/saved.rvs"
posts saved.rvs --gdb-write "$work"
claim '... but in the folder of --gdb-write' has_line '^gdb: .*saved in ' "$out" and test -s "$work/saved.rvs"
posts ../saved.rvs --gdb-write "$work"
claim '... and not in another' has_line '^gdb: .*a name without folders' "$out"
try "$rvftrace" run --gdb-write "$work" "$kernel" >"$out" 2>"$err" </dev/null
claim '--gdb-write without --gdb is refused' has_status 64

start 0
port=$(sed -n 's/.*target remote 127.0.0.1:\([0-9]*\)$/\1/p' "$work/rvftrace.out")
attach tcp ":$port" -ex disconnect -ex "target extended-remote :$port" -ex 'print 1000 + 1' -ex detach -ex 'attach 1' -ex stepi \
    -ex 'monitor info machine' -ex 'monitor quit'
claim_line "TCP on a free port, again after a disconnect, and attaching after a detach" 'hart 1 .* instructions' "$work/tcp.out"
try wait $guest
claim "monitor quit ends the run" has_status 0
finish
