# kallsyms.awk - from `nm -n` of a linked kernel, the assembly of its symbol table.
#
# Functions only.  If several names have one address, the first in nm's output
# is used; names of local labels are not.

function hex(s,    i, v) {
    v = 0
    for (i = 1; i <= length(s); i++)
        v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return v
}

BEGIN { n = 0 }

# The low 32 bits are enough; awk's numbers would not hold 64 bits exactly.
function low(addr) { return hex(substr(addr, length(addr) - 7)) }

$3 == "_text" { base = low($1) }
($2 == "t" || $2 == "T") && $3 !~ /^[.$]|^_text$|^_stext$|^__(irqentry|entry|kprobes|lock)_text_|^_etext/ {
    if (n && $1 == last)
        next
    last = $1
    addr[n] = low($1)
    name[n++] = $3
}

END {
    print "    .section .kallsyms, \"a\""
    print "    .balign 8"
    print "    .globl kallsyms_num_syms\nkallsyms_num_syms:\n    .word " n + 0
    print "    .globl kallsyms_offsets\nkallsyms_offsets:"
    for (i = 0; i < n; i++)
        printf "    .word %d\n", addr[i] - base
    print "    .globl kallsyms_name_offsets\nkallsyms_name_offsets:"
    for (i = 0; i < n; i++) {
        print "    .word " at + 0
        at += length(name[i]) + 1
    }
    print "    .globl kallsyms_names\nkallsyms_names:"
    for (i = 0; i < n; i++)
        print "    .asciz \"" name[i] "\""
}
