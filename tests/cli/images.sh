#!/bin/sh
# images.sh - files that cannot be used: a message of one line, and the documented status.
. "$(dirname "$0")/../machine/common.inc"

# A copy of the kernel with bytes replaced: patched OFFSET OCTAL-BYTES...
patched() {
    cp "$mcount" "$work/image"
    printf '%b' "$2" | dd of="$work/image" bs=1 seek="$1" conv=notrunc 2>/dev/null
    run run --quiet "$work/image"
}
size=$(stat -c %s "$mcount")

for cut in 4 5 15 16 40 63 64 100 200 $((size / 2)) $((size - 1)); do
    head -c $cut "$mcount" >"$work/image"
    run run --quiet "$work/image"
    claim "an ELF cut off after $cut of $size bytes is refused" refused 65 '.*image: is a truncated ELF'
done
: >"$work/image"
run run "$work/image"
claim 'an empty file is refused' refused 65 '.*image: is empty'
printf '#!/bin/sh\necho this is no kernel\n' >"$work/image"
run run "$work/image"
claim 'a text file is refused' refused 65 '.*image: is a text file'
run run --quiet --firmware "$work/image" "$mcount"
claim '... also as firmware' refused 65 '.*image: is a text file'
run run "$work"
claim 'a directory is refused' refused 74 ".*$work.*irectory"
truncate -s 1T "$work/huge" && run run "$work/huge"
claim 'a file larger than any image is refused' refused 65 '.*huge: has more than 4 GiB'
run run "$work/nothing"
claim 'a missing file is status 66' refused 66 '.*nothing.*o such file'
run run ''
claim 'a file without a name is status 64' refused 64 "the image's name is empty"

patched 18 '\0076\0000'
claim 'an ELF for x86-64 is refused' refused 65 '.*for another machine'
patched 4 '\0001'
claim 'a 32-bit ELF is refused' refused 65 '.*is a 32-bit ELF'
patched 5 '\0002'
claim 'a big-endian ELF is refused' refused 65 '.*big-endian'
patched 16 '\0001\0000'
claim 'an object file is refused' refused 65 '.*is an object file'
patched 16 '\0004\0000'
claim 'a core dump is refused' refused 65 '.*neither an executable'
patched 56 '\0000\0000'
claim 'an ELF without segments is refused' refused 65 '.*no segments'
patched 32 '\0377\0377\0377\0377\0377\0377\0377\0177'
claim 'program headers beyond the end are refused' refused 65 '.*truncated ELF'
run run /bin/true
claim "the host's own program is refused" refused 65 '.*for another machine'
cp "$work/nothing" "$work/image" 2>/dev/null || cat "$rvftrace" | gzip >"$work/image"
run run "$work/image"
claim 'a compressed file is refused, with the remedy' refused 65 '.*compressed.*gzip -dc'

run run --append "$(head -c 128000 /dev/zero | tr '\0' x)" "$mcount"
claim 'a command line that the device tree has no room for is refused' refused 64 '.*device tree.*--append'

# Segments at other addresses, linked by the real linker.
elsewhere() {
    address=$1
    shift
    echo '.globl _start; _start: j _start' |
        ${CROSS}gcc -march=rv64imac -mabi=lp64 -nostdlib -static -Wl,--build-id=none \
            -Wl,-Ttext="$address" -o "$work/image" -x assembler - &&
        run run --quiet "$@" "$work/image"
}
for address in 0x10000 0x7ffff000 0x90000000 0xffffffff80000000; do
    elsewhere $address
    claim "a segment at $address is refused" refused 65 '.*lies outside of RAM'
done
elsewhere 0x7ffff000
claim_line 'below RAM, the remedy is another address' 'link it at 0x80000000 or higher$' "$err"
elsewhere 0xffffffff80000000
claim_line 'beyond the largest RAM, too' 'link it to end below 0x[0-9a-f]*; more --memory is no help$' "$err"
elsewhere 0x80f00000 --memory 8M
claim 'a segment behind a smaller memory is refused, with the memory that it needs' refused 65 '.*; give --memory 16M or more$'
elsewhere 0x80f00000 --memory 16M --max-insns 10
claim '... and that is enough' has_status 75

# takes KIB ARGUMENTS...: the run took at most that much memory of the host.
takes() {
    python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(status, used, "KiB")
sys.exit(status != 75 or used > int(sys.argv[1]))' "$@"
}
cat >"$work/zeroes.s" <<'END'
.globl _start
_start: j _start
.data
.skip 0x0fffff00 # in the file, a hole
.bss
.skip 0x60000000
END
${CROSS}gcc -march=rv64imac -mabi=lp64 -nostdlib -static -Wl,--build-id=none -Wl,-Ttext=0x80000000 \
    -o "$work/zeroes" "$work/zeroes.s" && fallocate --dig-holes "$work/zeroes"
zeroes='zeroes take no memory: 1.5 GiB of .bss and 256 MiB in a hole of the file'
if zeroes_are_shared; then
    claim "$zeroes" takes 262144 "$rvftrace" run --quiet --memory 2G --max-insns 10 "$work/zeroes"
else
    skip "$zeroes" 'on this host memory counts when it is read'
fi
run run --quiet --memory 1G --max-insns 10 "$work/zeroes"
claim '... and what does not fit says how much it needs' refused 65 '.*zeroes: segment .*; give --memory 179[0-9]M or more$'

head -c 8192 /dev/zero >"$work/firmware"
elsewhere 0x80001000 --firmware "$work/firmware"
claim 'a segment where the firmware goes is refused' refused 65 '.*overlaps the firmware'
elsewhere 0x80002000 --max-insns 10 --firmware "$work/firmware"
claim 'one right behind it is not' test "$status" -eq 75 -o "$status" -eq 76

head -c 100 /dev/zero >"$work/image"
run run --quiet --max-insns 1000 "$work/image"
claim 'a raw image of nothing is run, and comes to nothing' test "$status" -eq 75 -o "$status" -eq 76

# The other files.
run run --quiet --initrd "$work/nothing" "$mcount"
claim 'a missing initrd is status 66' refused 66 '.*nothing.*o such file'
run run --quiet --initrd "$work" "$mcount"
claim 'an initrd that cannot be read is status 74' refused 74 '.*'
truncate -s 200M "$work/disk"
run run --quiet --memory 128M --initrd "$work/disk" "$mcount"
claim 'an initrd that does not fit is refused' refused 65 '.*disk: .*do not fit.*--memory'
run run --quiet --symbols "$work/nothing" "$mcount"
claim 'a missing symbol file is status 66' refused 66 '.*nothing.*o such file'
run run --quiet --symbols "$work" "$mcount"
claim 'a symbol file that cannot be read is status 74' refused 74 '.*'
head -c 3000 "$mcount" >"$work/image"
run run --quiet --max-insns 1 --symbols "$work/image" "$mcount"
claim_line 'a symbol file that is cut off is warned of' '^rvftrace: warning: .*image: has no symbols' "$err"
run run --quiet --input "$work/nothing" "$mcount"
claim 'a missing input file is status 66' refused 66 '.*nothing.*o such file'
run run --quiet --firmware "$work/nothing" "$mcount"
claim 'a missing firmware is status 66' refused 66 '.*nothing.*o such file'
: >"$work/image"
run run --quiet --firmware "$work/image" "$mcount"
claim 'an empty firmware is refused' refused 65 '.*is empty'
run debug --commands "$work/nothing" "$mcount"
claim 'a missing command file is status 66' refused 66 '.*nothing.*o such file'
finish
