#!/bin/sh
# args.sh - arguments and results of calls in the log (--log-args): as the functions compute them, whether their sites are
# on or off; and calls of one task only (--task).
. "$(dirname "$0")/../machine/common.inc"

pfe8=$BUILD/guest-kernel/pfe8/kernel.elf
demo='script="work calls 1; echo function_graph > /sys/kernel/tracing/current_tracer; work calls 1; cat /proc/version"'

cat >"$work/check.py" <<'PY'
import re, sys
from claims import claim, finish

layout = sys.argv[1]
lines = open(sys.argv[2]).read().split("\n")
fibonacci = [0, 1]
while len(fibonacci) < 20:
    fibonacci.append(sum(fibonacci[-2:]))
asked, given, open_calls = [], [], []
for line in lines:
    body = line.split(" | ", 1)[-1]
    begin = re.match(r" *fib\(n=([0-9?]+)\)( = (\d+);| \{)", body)
    end = re.match(r" *\} = (\d+) /\* fib \*/", body)
    if begin and begin[3]:
        asked.append(begin[1]), given.append(int(begin[3]))
    elif begin:
        open_calls.append(begin[1])
    elif end:
        asked.append(open_calls.pop()), given.append(int(end[1]))
claim(f"{layout}: the log has each call of fib, with its result", not open_calls and len(given) == 218, len(given))
if layout == "mcount":  # of n, a0 is overwritten before the site, and no register has it
    claim(f"{layout}: what no register has is not guessed", set(asked) == {"?"}, set(asked))
else:
    claim(f"{layout}: fib(n) is the n-th of Fibonacci's numbers, in 218 calls",
          all(fibonacci[int(n)] == result for n, result in zip(asked, given)), list(zip(asked, given))[:9])
claim(f"{layout}: ... also of sites that are on", sum("return_to_handler" in line for line in lines) > 218)
text = "\n".join(lines)
claim(f"{layout}: a string is text", '"/proc/version"' in text)
claim(f"{layout}: an error is a negative number", re.search(r"\(.*\) = -\d+;|\} = -\d+ ", text))
finish()
PY
for layout in pfe8 mcount; do
    run run --quiet --log "$work/$layout.log" --log-args --append "$demo" "$BUILD/guest-kernel/$layout/kernel.elf"
    run log --calls "$work/$layout.log"
    cp "$out" "$work/calls"
    claims_of python3 "$work/check.py" "$layout" "$work/calls"
done

run log --graph fib "$work/pfe8.log"
claim_line 'the graph of a function counts its arguments' '^  n=9 +2 ' "$out"
claim_line '... and its results' '^  34 +2 ' "$out"
run log --to chrome -o "$work/calls.json" --function fib "$work/pfe8.log"
claim_line 'Chrome has them' '"arguments":\{"n":"9"\}' "$work/calls.json"
run log --to csv -o "$work/calls.csv" --task cat "$work/pfe8.log"
claim_line 'CSV doubles the quotes of strings' '=""/proc/version""' "$work/calls.csv"
run log --to perfetto -o "$work/calls.perfetto" --function fib "$work/pfe8.log"
claim 'Perfetto has them' grep -qa 'args\.n' "$work/calls.perfetto"

# The run does not notice it.
run run --log "$work/plain.log" --append "$demo" "$pfe8"
mv "$out" "$work/plain.out"
run run --log "$work/args.log" --log-args --append "$demo" "$pfe8"
claim 'the run is the same without' cmp "$out" "$work/plain.out"
run log "$work/plain.log"
sed -n '/^events/,/^$/p' "$out" >"$work/plain.events"
run log "$work/args.log"
sed -n '/^events/,/^$/p' "$out" >"$work/args.events"
claim '... and the log has the same events' test -s "$work/plain.events" and cmp "$work/plain.events" "$work/args.events"

# Of one task.
run run --quiet --log "$work/task.log" --task cat --append "$demo" "$pfe8"
run log --to csv -o "$work/task.csv" "$work/task.log"
run log --to csv -o "$work/all.csv" --task cat "$work/plain.log"
run log --to csv -o "$work/plain.csv" "$work/plain.log"
calls() { awk -F, '$7 == "call" || $7 == "return"' "$1" | cut -d, -f1-8; }
calls "$work/task.csv" >"$work/task"
calls "$work/all.csv" >"$work/all"
claim '--task: the log has the calls of that task only, all of them' test -s "$work/task" and cmp "$work/task" "$work/all"
claim_line '... and the other events' ',store,' "$work/task.csv"

# Of a part of the run: the calls that begin in it, with their ends.
set -- $(awk -F, '$7 == "call" {print $1}' "$work/plain.csv" | awk '{at[NR] = $1} END {print at[int(NR / 3)], at[int(NR / 2)]}')
run run --quiet --log "$work/part.log" --from "$1" --until "$2" --append "$demo" "$pfe8"
run log --to csv -o "$work/part.csv" "$work/part.log"
begun() { awk -F, -v from="$1" -v until="$2" '$7 == "call" && $1 >= from && $1 <= until' "$3" | cut -d, -f1-8; }
begun "$1" "$2" "$work/plain.csv" >"$work/begun"
awk -F, '$7 == "call"' "$work/part.csv" | cut -d, -f1-8 >"$work/part"
claim '--from and --until: the log has the calls that begin then, all of them' test -s "$work/part" and cmp "$work/part" "$work/begun"
claim '... their ends' test "$(grep -c ',return,' "$work/part.csv")" -ge $(($(wc -l <"$work/part") - 100))
claim '... and the other events, of all the time' test "$(grep -c ',store,' "$work/part.csv")" -eq "$(grep -c ',store,' "$work/plain.csv")"
claim_status 64 '--log-args without a log is refused' "$rvftrace" run --log-args "$pfe8"
finish
