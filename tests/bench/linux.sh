#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python expands its own words; claim calls by name
# linux.sh - what tools/bench --linux promises, without Linux: guest kernels stand for its variants and orders, which are there
# already. tests/linux/pairs.sh builds the real ones: here with a make that builds nothing.
. "$(dirname "$0")/lib.sh"

kernels=$BUILD/guest-kernel
pairs=$work/linux/pairs/6.12
mkdir -p "$pairs"
none=$kernels/none/kernel.elf pfe8=$kernels/pfe8/kernel.elf mcount=$kernels/mcount/kernel.elf
cp "$none" "$pairs/none-1.Image"
cp "$none" "$pairs/none-2.Image"
cp "$pfe8" "$pairs/frame-1.Image"
cp "$mcount" "$pairs/frame-2.Image"
cp "$none" "$pairs/norelax-1.Image"
cp "$none" "$pairs/norelax-2.Image"
cp "$mcount" "$pairs/off-1.Image"
cp "$pfe8" "$pairs/off-2.Image"
cp "$kernels/initrd.cpio" "$work/linux/workloads.cpio"
bench() {
    LINUX_CACHE=$work/linux tools/bench --build "$BUILD" --emulator "$rvftrace" --cache "$work/cache" --jobs 2 --memory 64M \
        --append 'script="sysbench getpid 20; mark getpid sysbench getpid 20; poweroff"' --core c906 --linux 6.12 \
        --placements 2 "$@"
}
json() { python3 -c 'import json, math, statistics, sys
j = json.load(open(sys.argv[1]))
r = {x["comparison"]: x["overhead_percent_by_pair"] for x in j["rows"]}
sys.exit(not eval(sys.argv[2]))' "$1" "$2"; }

claim 'a plan says what it will take, before anything ran' exits 0 bench --plan
claim '... to build' grep -q '^Linux 6.12: 3 kernels to compile, 0 orders to link: about .* hours of a processor' "$out"
claim '... and to run' grep -q '^8 runs, 0 of them kept from before; the other 8 take about .* hours of a processor' "$out"
claim '... by kernels elsewhere, while none was built here' grep -q 'about 0.50 hours of a processor (as long as Linux 6.1 took elsewhere' "$out"
printf 'compile\t1000\nlink\t200\ncompile\t1400\n' >"$pairs/seconds"
mv "$pairs/off-2.Image" "$work/aside"
claim 'what is not built yet is planned, too' exits 0 bench --plan
claim '... as an order to link, which takes as long as here before' grep -q '^Linux 6.12: 3 kernels to compile, 1 orders to link: about 1.06 hours of a processor\.$' "$out"
mv "$work/aside" "$pairs/off-2.Image"
claim 'kernels that exist are run, and none is built' exits 0 bench --json "$work/j" --svg "$work/svg"
cp "$out" "$work/tables"
claim '... each once' test "$(wc -l <"$work/cache/seconds")" = 8
claim '... for all comparisons' json "$work/j" 'set(r) == {"ftrace", "relaxation", "sites", "frame pointer", "both"} and all(len(v) == 2 for v in r.values())'
claim '... which multiply' json "$work/j" \
    'all(math.isclose((1 + x / 100) * (1 + y / 100), 1 + b / 100)
         for p, q, whole in (("ftrace", "frame pointer", "both"), ("relaxation", "sites", "ftrace"))
         for x, y, b in zip(r[p], r[q], r[whole]))'
claim '... of the kernels of one order each' json "$work/j" 'r["ftrace"][0] > 2 and r["ftrace"][1] < -2 and math.isclose(r["both"][0], r["frame pointer"][1])'
interval() { python3 -c 'import json, statistics, sys
v = [x for x in json.load(open(sys.argv[1]))["rows"] if x["comparison"] == "both"][0]["overhead_percent_by_pair"]
print("%.0f ±%.0f" % (statistics.mean(v), 12.706 * statistics.stdev(v) / 2 ** 0.5))' "$work/j"; }
claim '... with the mean and the interval of the placements' grep -q "^getpid .* $(interval)\$" "$work/tables"
claim '... and says where all of them say nothing' grep -q '^Not told apart from no difference: getpid on c906$' "$work/tables"
claim 'the plot has a labelled point for each core' python3 -c 'import sys, xml.dom.minidom
text = open(sys.argv[1]).read()
assert xml.dom.minidom.parseString(text).documentElement.tagName == "svg" and "getpid" in text and "c906" in text' "$work/svg"
claim 'a measurement is no worse than itself' exits 0 tools/bench-compare "$work/j" "$work/j"
claim '... by comparison, region and core' grep -Eq '^getpid +ftrace, c906 ' "$out"

# A make that gives each configuration as it is asked for, and an image.
mkdir -p "$work/bin" "$work/built/pairs/6.12/source"
: >"$work/built/pairs/6.12/source/.complete"
cat >"$work/bin/make" <<'END'
#!/bin/sh
for word; do case $word in
    O=*) to=${word#O=} ;;
    allnoconfig) cp "$to/wanted" "$to/.config" ;;
    vmlinux) echo >"$to/main.o" ;;
    Image) mkdir -p "$to/arch/riscv/boot" && echo "$PAIR_LDFLAGS" >"$to/arch/riscv/boot/Image" ;;
esac; done
END
chmod +x "$work/bin/make"
claim 'variants are built in all orders' exits 0 env LINUX_CACHE="$work/built" PATH="$work/bin:$PATH" \
    sh tests/linux/pairs.sh 6.12 2 frame norelax
claim '... norelax of the objects of frame' grep -qx -e --no-relax "$work/built/pairs/6.12/norelax-2.Image"
claim '... and what each step took is kept for the plan' test \
    "$(sed 's/[0-9]*$//' "$work/built/pairs/6.12/seconds" | tr -d '\t' | uniq -c | tr -s ' \n' ' ')" = ' 1 compile 4 link '
claim '... and they take the seed of random numbers from the machine' grep -qx CONFIG_RANDOM_TRUST_BOOTLOADER=y "$work/built/pairs/6.12/frame/.config"

rm "$work/built/pairs/6.12/frame/.complete" "$work/built/pairs/6.12/frame-1.Image"
claim 'a build that was interrupted goes on' exits 0 env LINUX_CACHE="$work/built" PATH="$work/bin:$PATH" sh tests/linux/pairs.sh 6.12 2 frame
claim '... and its rest does not count as a whole one' test "$(grep -c compile "$work/built/pairs/6.12/seconds")" = 1

bench --shards 2 --out "$work/plan" >/dev/null
sed "s|\$| --cache '$work/cache'|" "$work/plan/jobs" >"$work/jobs"
claim 'it can be cut into pieces' exits 0 sh -e "$work/jobs"
claim '... whose answer' exits 0 tools/bench --merge "$work/plan" --json "$work/merged"
claim '... is the same to the byte' cmp "$work/merged" "$work/j"
claim '--linux and --pair are not for each other' exits 64 bench --pair "$none" "$pfe8"
finish
