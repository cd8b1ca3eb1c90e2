#!/bin/sh
# dtb.sh - a device tree that the user gives (--dtb): it is compared with the machine, and the guest gets it.
. "$(dirname "$0")/../machine/common.inc"

own=$work/own.dtb
run run --quiet --harts 2 --memory 64M --max-insns 1 --dump-dtb "$own" "$mcount"
# changed FDTPUT-ARGUMENTS...: a copy of it with a property changed.
changed() { cp "$own" "$work/changed.dtb" && fdtput "$1" "$work/changed.dtb" "$2" "$3" "$4" && tree=$work/changed.dtb; }
with_tree() { run run --quiet --harts 2 --memory 64M --dtb "${tree:-$own}" "$@" "$mcount"; }

with_tree --append 'script="echo given back; poweroff"'
claim 'the machine'"'"'s own tree can be given back' has_status 0 and says_nothing and has_line '^given back' "$out"
changed -ts /chosen bootargs 'script="echo of the tree; poweroff"'
with_tree --dump-dtb "$work/dumped"
claim 'the guest gets what is in the tree' has_status 0 and has_line '^of the tree' "$out"
claim '... as --dump-dtb writes it' test "$(fdtget "$work/dumped" /chosen bootargs)" = 'script="echo of the tree; poweroff"'
with_tree --append 'script="echo of --append; poweroff"' --initrd "$mcount" --dump-dtb "$work/dumped"
claim '... but for what options say' has_line '^of --append' "$out" and fdtget "$work/dumped" /chosen linux,initrd-start
run run --quiet --memory 64M --dtb "$own" "$mcount"
claim 'another number of harts is refused' refused 65 '.*own.dtb: has 2 harts, and the machine has harts 0 to 0; give --harts'
run run --quiet --harts 2 --memory 32M --dtb "$own" "$mcount"
claim 'memory that the machine does not have is refused' refused 65 '.*has memory at 0x80000000, 0x4000000 bytes,.*give --memory'
changed -tu /cpus timebase-frequency 1000000
with_tree
claim 'another timebase is refused' refused 65 '.*timebase-frequency is 1000000'
changed -tx /soc/rtc@101000 reg '0 101000 0 1000'
changed -ts /soc/rtc@101000 compatible 'google,other-rtc'
with_tree --max-insns 10
claim 'a device that the machine does not have is warned of' has_line 'warning: .*/soc/rtc@101000 is no device of the machine at 0x101000' "$err"
with_tree --isa rv64gc --max-insns 10
claim 'an extension that the harts do not have is warned of' has_line 'warning: .*cpu@0 has the extension zba, which' "$err"
head -c 300 "$own" >"$work/cut.dtb"
tree=$mcount
with_tree
claim 'a file that is too large for a tree is refused' refused 65 '.*a device tree has at most 65536'
for tree in "$programs/hello.elf" "$work/cut.dtb" /dev/null; do
    with_tree
    claim "${tree##*/} is refused" refused 65 '.*not a flattened device tree'
done
tree=$work/nosuch.dtb
with_tree
claim 'a file that is not there is another matter' has_status 66
tree=$own
with_tree --record "$work/tape" --max-insns 1000
changed -ts /chosen bootargs other
with_tree --replay "$work/tape"
claim 'a recording is of the tree that was used' refused 65 '.*tape'
finish
