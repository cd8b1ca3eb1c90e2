#!/bin/sh
# mi.sh - a session of a graphical front end with gdb and the gdb server: the commands of gdb/MI that
# Visual Studio Code's C/C++ extension sends, in its order, each with the answer that it needs.
. "$(dirname "$0")/common.inc"

about='MI: '
claims_of python3 - "$BUILD" "${GDB:-gdb-multiarch}" "$work" <<'PY'
import re, signal, subprocess, sys
import claims

build, gdb, work = sys.argv[1:]
kernel = build + "/guest-kernel/pfe8/kernel.elf"
script = 'script="work tree 1; echo function > /sys/kernel/tracing/current_tracer; work calls 1; poweroff"'
# MI has a syntax of its own for quotes, so the command is in a file.
with open(work + "/server", "w") as f:
    f.write(f"exec tests/debug/gdb/server {work}/status {build}/rvftrace debug --quiet --harts 2 --console none --gdb - --append '{script}' {kernel}\n")
process = subprocess.Popen([gdb, "-nx", "--interpreter=mi3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
signal.alarm(100)
count, log = 0, []


def read_until(wanted):
    """The lines up to one that begins with this."""
    lines = []
    for line in process.stdout:
        log.append(line)
        lines.append(line)
        if re.match(wanted, line):
            break
    return "".join(lines)


def ask(command):
    """The result record of a command, with what came before it."""
    global count
    count += 1
    log.append(f"{count}{command}\n")
    process.stdin.write(f"{count}{command}\n")
    process.stdin.flush()
    return read_until(rf"{count}\^")


def claim(sentence, answer, *patterns):
    missing = [p for p in patterns if not re.search(p, answer, re.S)]
    claims.claim(sentence, not missing, f"lacks {missing}\n{answer[-1500:]}")


def go(command):
    """Runs the machine; what is said of the stop."""
    answer = ask(command)
    return answer + (read_until(r"\*stopped") if "^running" in answer else "")


def done(sentence, command, *patterns):
    answer = ask(command)
    claim(sentence, answer, r"\^(done|connected|exit)", *patterns)
    return answer


# ---- launch ----
done("pretty printing is enabled", "-enable-pretty-printing")
done("settings are made", "-gdb-set mi-async off")
done("features are listed", "-list-features", "data-read-memory-bytes")
done("the kernel's symbols are read", f"-file-exec-and-symbols {kernel}")
claim("gdb connects", ask(f"-target-select remote | sh {work}/server") + read_until(r"\*stopped|\(gdb\)"), r"\^connected")
done("the target can go backwards", "-list-target-features", "reverse")
done("a breakpoint by function", "-break-insert -f tree_insert", r'number="1".*addr="0x[0-9a-f]+".*func="tree_insert"')
done("a breakpoint by file and line", "-break-insert -f -t tree.c:15", r'number="2"')
done("a breakpoint in a file that is not there waits", "-break-insert -f nothing.c:3", r'pending="')
done("a condition", '-break-condition 1 "key > 100"')
done("a watchpoint", "-break-watch init_task.prio", r'wpt={number="\d+"')
done("points are listed", "-break-list", r'nr_rows="4"', r'cond="key > 100"')
done("a watchpoint is deleted", "-break-delete 4")
done("the catch of an unknown thing is refused, and the session goes on", "-thread-info", r"threads=\[")

# ---- at a stop ----
stop = go("-exec-continue")
claim("the breakpoint at the line is met", stop, r'reason="breakpoint-hit".*bkptno="2"')
stop = go("-exec-continue")
claim("the breakpoint with the condition is met", stop, r'reason="breakpoint-hit".*bkptno="1".*func="tree_insert"')
thread = re.search(r'thread-id="(\d+)"', stop).group(1)
done("a thread a hart, with names", "-thread-info", r'name="hart 0"', r'name="hart 1"', r'current-thread-id="%s"' % thread)
done("the depth of the stack", f"-stack-info-depth --thread {thread} 1000", r'depth="[4-9]"')
done("the frames", f"-stack-list-frames --thread {thread} 0 1000", r'level="0".*func="tree_insert"',
     r'level="1".*func="tree_once"', r'func="kthread"')
done("the arguments of the frames", f"-stack-list-arguments --thread {thread} 0 0 20", r'name="root"', r'name="key"')
done("the variables of a frame", f"-stack-list-variables --thread {thread} --frame 1 --all-values",
     r'name="round",arg="1",value="0"', r'name="root"')
done("an expression in a frame", f'-data-evaluate-expression --thread {thread} --frame 0 "key > 100"', r'value="1"')

# ---- variables ----
answer = done("a variable object", f'-var-create --thread {thread} --frame 0 - * "(struct task_struct *)$tp"',
              r'numchild="1?[0-9]+"', r'type="struct task_struct \*"')
name = re.search(r'name="(var\d+)"', answer).group(1)
done("its children", f'-var-list-children --simple-values "{name}" 0 1000', r'exp="comm"', r'exp="prio".*value="\d+"')
done("a child's own children", f'-var-list-children --simple-values "{name}.comm" 0 16', r"value=\"116 't'\"")
done("its expression", f'-var-info-path-expression "{name}.comm"', r"path_expr=\"\(.*->comm\"")
done("a register as a variable", f"-var-create --thread {thread} --frame 0 r @ $sp", r'value="0xff')
done("what has changed", "-var-update --simple-values *", r"changelist=")
done("a variable is deleted", f"-var-delete {name}", r'ndeleted="')

# ---- registers, memory, code ----
done("the names of registers", "-data-list-register-names", r'"zero","ra","sp"', '"satp"', '"priv"')
done("the values of registers", f"-data-list-register-values --thread {thread} --frame 0 x 1 2 32",
     r'number="32",value="0xffffffff8')
done("which of them have changed", "-data-list-changed-registers", "changed-registers=")
done("memory", '-data-read-memory-bytes "init_task.comm" 16', r'contents="737761707065722f30')
done("code with source lines", "-data-disassemble -s $pc -e $pc+16 -- 5", r"src_and_asm_line=.*tree_body.h", 'opcodes="')
done("code by function", "-data-disassemble -a tree_insert -- 0", r'func-name="tree_insert".*inst="')
done("lines of a file", "-symbol-list-lines guest-kernel/kernel/workload/tree.c", r'line="15"')
done("functions by name", "-symbol-info-functions --name ^tree_", r'name="tree_insert"')

# ---- steps ----
for sentence, command in (("next", "-exec-next"), ("step", "-exec-step"), ("stepi", "-exec-step-instruction"),
                          ("nexti", "-exec-next-instruction"), ("next backwards", "-exec-next --reverse"),
                          ("step backwards", "-exec-step --reverse"),
                          ("stepi backwards", "-exec-step-instruction --reverse")):
    name, *reverse = command.split()
    claim(sentence, go(" ".join([name, "--thread", thread, *reverse])), r'reason="(end-stepping-range|breakpoint-hit)"')
done("breakpoints are disabled", "-break-disable 1")
claim("finish", go(f"-exec-finish --thread {thread} --frame 0"), r'reason="function-finished".*(gdb-result-var|func=")')
done("and enabled", "-break-enable 1")
claim("to a place", go("-exec-until tree_hash"), r"\*stopped")
claim("back to the last breakpoint", go("-exec-continue --reverse"), r'reason="breakpoint-hit".*bkptno="1"')
done("monitor in the debug console", '-interpreter-exec console "monitor sites fib"', r"<fib> +function +off")
done("tasks in the debug console", '-interpreter-exec console "monitor task sh"', r'task 1 ..sh')
claim("an error is an error record", ask("-data-evaluate-expression nosuch"), r'\^error,msg="No symbol')
claim("so is memory that is not mapped", ask("-data-read-memory-bytes 0x10 8"), r"\^error,msg=")

# ---- the end ----
done("all breakpoints are deleted", "-break-delete")
claim("a breakpoint in text that the guest patches is met after it", ask("-break-insert -t fib"), r"\^done")
claim("... in the function that is traced", go("-exec-continue"), r'reason="breakpoint-hit".*func="fib"')
done("the site is on there", '-interpreter-exec console "monitor sites fib"', r"on -> ftrace_caller")
claim("the guest's end is a stop", go("-exec-continue"), r"\*stopped")
claim("and still goes backwards", go("-exec-continue --reverse"), r'reason="no-history"|\*stopped')
claim("the session ends", ask("-gdb-exit"), r"\^exit")
process.wait()
with open(work + "/status") as f:
    status = f.read()
claims.claim("the server ends with status 0", status == "0\n", status)
if claims.FAILED:
    print("".join("# " + line for line in log[-60:]))
claims.finish()
PY
finish
