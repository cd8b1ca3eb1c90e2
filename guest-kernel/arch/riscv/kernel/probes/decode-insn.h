/* decode-insn.h - how a probed instruction can be carried out elsewhere. */
#ifndef PROBES_DECODE_INSN_H
#define PROBES_DECODE_INSN_H

#include <asm/kprobes.h>

enum probe_insn {
    INSN_REJECTED,
    INSN_GOOD_NO_SLOT, /* simulated: *handler does it */
    INSN_GOOD,         /* its copy has the same effect */
};

enum probe_insn riscv_probe_decode_insn(u32 insn, struct arch_specific_insn *api);

#endif
