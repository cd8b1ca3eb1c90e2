/*
 * exec.h - what each instruction does.
 *
 * DO_name is the code for the row `name` of insn.def. The engine expands it at the
 * row's label and at those of the fused operations (pair.def) with it. For
 * floating-point rows that exist for several formats (F rows) it is DO_name(f). The
 * includer defines
 *   RD S1 S2 IMM    destination (assignable), sources, immediate (sign-extended)
 *   PC              of this instruction; NEXT_PC of the one after the block
 *   TAKEN_PC        target of a direct jump
 *   BRANCH(condition)    leave the block by LINK_TAKEN or LINK_NEXT
 *   FOLLOW(slot)    leave the block by its link LINK_NEXT or LINK_TAKEN
 *   FOLLOW_AFTER(slot, before)    the same, having done `before` if the target is aligned
 *   JUMP_AFTER(target, before)    leave it for a computed address, having done `before`
 *   LOAD(type), STORE(type)    memory at S1 + IMM, in the span or through the translation cache
 *   FD F1 F2 F3     floating-point registers, as they are; N1(f) N2(f) N3(f) unboxed
 *   FLOAT_LOAD(type, f), FLOAT_STORE(type)    memory, and a floating-point register
 *   FLOAT(f, name, ...)    fd = host_name's result if the host can do it, or float_name's, boxed
 *   SOFT_FLOAT(f, call)    fd = the call's result, boxed; `env` has the rounding mode
 *   EXACT_FLOAT(f, value)    fd = the value, boxed; not rounded, but the rounding mode must be
 * legal FLOAT_TO_INT(call)    rd = the call's result, which may raise flags ATOMIC(...)     see
 * below LOAD_RESERVED(type), STORE_CONDITIONAL(type)    lr and sc at S1 ON_JUMP(target, before),
 * ON_... seams (engine.inc) SLOW(call)      a slow operation that may raise: `call` is false then
 *   SYSTEM(call)    the same for the last operation of a block
 * Sources: ISA vol. I, chapters 2, 4 (RV64I), 7 (Zicsr), 10 (Zihintpause), 12 (Zicond), 13 (M),
 * 14 (A), 15 (Zawrs), 19 (CMO), 20 to 23 (F, D, Zfh), 25 (Zfa), 28 (B); vol. II, 3.3, 4.2, 7
 * (Svinval).
 */
#ifndef CPU_EXEC_H
#define CPU_EXEC_H

/* ---- I: constants, jumps, branches ---- */
#define DO_lui   RD = (uint64_t)IMM
#define DO_auipc RD = PC + (uint64_t)IMM
#define DO_jal                       \
    ON_JUMP(TAKEN_PC, RD = NEXT_PC); \
    FOLLOW_AFTER(LINK_TAKEN, RD = NEXT_PC)
#define DO_jalr                                            \
    uint64_t target = (S1 + (uint64_t)IMM) & ~UINT64_C(1); \
    ON_JUMP_INDIRECT(target);                              \
    JUMP_AFTER(target, RD = NEXT_PC)
#define DO_beq  BRANCH(S1 == S2)
#define DO_bne  BRANCH(S1 != S2)
#define DO_blt  BRANCH((int64_t)S1 < (int64_t)S2)
#define DO_bge  BRANCH((int64_t)S1 >= (int64_t)S2)
#define DO_bltu BRANCH(S1 < S2)
#define DO_bgeu BRANCH(S1 >= S2)

/* ---- I: memory ---- */
#define DO_lb  LOAD(int8_t)
#define DO_lh  LOAD(int16_t)
#define DO_lw  LOAD(int32_t)
#define DO_ld  LOAD(int64_t)
#define DO_lbu LOAD(uint8_t)
#define DO_lhu LOAD(uint16_t)
#define DO_lwu LOAD(uint32_t)
#define DO_sb  STORE(uint8_t)
#define DO_sh  STORE(uint16_t)
#define DO_sw  STORE(uint32_t)
#define DO_sd  STORE(uint64_t)

/* ---- I: arithmetic ---- */
#define DO_addi  RD = S1 + (uint64_t)IMM
#define DO_slti  RD = (int64_t)S1 < IMM
#define DO_sltiu RD = S1 < (uint64_t)IMM
#define DO_xori  RD = S1 ^ (uint64_t)IMM
#define DO_ori   RD = S1 | (uint64_t)IMM
#define DO_andi  RD = S1 & (uint64_t)IMM
#define DO_slli  RD = S1 << IMM
#define DO_srli  RD = S1 >> IMM
#define DO_srai  RD = (uint64_t)((int64_t)S1 >> IMM)
#define DO_add   RD = S1 + S2
#define DO_sub   RD = S1 - S2
#define DO_sll   RD = S1 << (S2 & 63)
#define DO_slt   RD = (int64_t)S1 < (int64_t)S2
#define DO_sltu  RD = S1 < S2
#define DO_xor   RD = S1 ^ S2
#define DO_srl   RD = S1 >> (S2 & 63)
#define DO_sra   RD = (uint64_t)((int64_t)S1 >> (S2 & 63))
#define DO_or    RD = S1 | S2
#define DO_and   RD = S1 & S2
#define DO_addiw RD = SEXT32(S1 + (uint64_t)IMM)
#define DO_slliw RD = SEXT32((uint32_t)S1 << IMM)
#define DO_srliw RD = SEXT32((uint32_t)S1 >> IMM)
#define DO_sraiw RD = SEXT32((int32_t)S1 >> IMM)
#define DO_addw  RD = SEXT32(S1 + S2)
#define DO_subw  RD = SEXT32(S1 - S2)
#define DO_sllw  RD = SEXT32((uint32_t)S1 << (S2 & 31))
#define DO_srlw  RD = SEXT32((uint32_t)S1 >> (S2 & 31))
#define DO_sraw  RD = SEXT32((int32_t)S1 >> (S2 & 31))

/* ---- I, Zifencei, S: ordering. Harts run one at a time, so `fence` does nothing. ---- */
#define DO_fence                  \
    if (UNLIKELY(h->s.unordered)) \
        hart_note_fence(h, u);    \
    ON_FENCE()
#define DO_pause           SLOW(hart_op_pause(h))
#define DO_fence_i         SYSTEM(hart_op_fence_i(h))
#define DO_sfence_vma      SYSTEM(hart_op_sfence_vma(h, u))
#define DO_sinval_vma      SYSTEM(hart_op_sinval_vma(h, u))
#define DO_sfence_w_inval  SYSTEM(hart_op_sfence_w_inval(h, u))
#define DO_sfence_inval_ir SYSTEM(hart_op_sfence_inval_ir(h, u))

/* ---- I, S: system ---- */
#define DO_ecall  SYSTEM(hart_op_ecall(h))
#define DO_ebreak SYSTEM((hart_raise(h, EXC_BREAKPOINT, PC), false))
#define DO_sret   SYSTEM_JUMP(hart_op_return(h, u, PRIV_S))
#define DO_mret   SYSTEM_JUMP(hart_op_return(h, u, PRIV_M))
#define DO_wfi    SYSTEM(hart_op_wfi(h))

/* ---- Zicsr: a read-modify-write of rd's old value; x0 as source of set and clear writes nothing
 * ---- */
#define DO_csrrw  SYSTEM(hart_op_csr(h, u, CSR_WRITE, S1))
#define DO_csrrs  SYSTEM(hart_op_csr(h, u, u->rs1 ? CSR_SET : CSR_READ_ONLY, S1))
#define DO_csrrc  SYSTEM(hart_op_csr(h, u, u->rs1 ? CSR_CLEAR : CSR_READ_ONLY, S1))
#define DO_csrrwi SYSTEM(hart_op_csr(h, u, CSR_WRITE, u->rs1))
#define DO_csrrsi SYSTEM(hart_op_csr(h, u, u->rs1 ? CSR_SET : CSR_READ_ONLY, u->rs1))
#define DO_csrrci SYSTEM(hart_op_csr(h, u, u->rs1 ? CSR_CLEAR : CSR_READ_ONLY, u->rs1))

/* Reads of registers of S-mode alone, within a block; the immediate is the place in
 * struct hart. */
#define CSR_PLACE (*(uint64_t *)(void *)((char *)h + IMM))
#define READ_S_MODE(value)             \
    if (UNLIKELY(h->s.mode == PRIV_U)) \
        goto do_illegal;               \
    RD = (value)
#define DO_read_csr     READ_S_MODE(CSR_PLACE)
#define DO_read_sstatus READ_S_MODE(sstatus_read(h->s.csr.mstatus))

/* The same for csrrw of a register that is plain storage, of one with a bit 0 that is always 0, and
 * of stvec, whose modes 2 and 3 are reserved. */
#define WRITE_S_MODE(value)     \
    do {                        \
        uint64_t now = (value); \
        READ_S_MODE(CSR_PLACE); \
        CSR_PLACE = now;        \
    } while (0)
#define DO_write_csr      WRITE_S_MODE(S1)
#define DO_write_csr_even WRITE_S_MODE(S1 & ~UINT64_C(1))
#define DO_write_stvec    WRITE_S_MODE(S1 & 2 ? CSR_PLACE : S1)

/* And for writes of sstatus. The operand is S1, with the immediate 0, or the immediate. */
#define CHANGE_SSTATUS(how, value)                                        \
    do {                                                                  \
        uint64_t operand = S1 | (uint64_t)IMM;                            \
        uint64_t before = h->s.csr.mstatus, now = (value);                \
        if (LIKELY(sstatus_is_quiet(h, before, now))) {                   \
            READ_S_MODE(sstatus_read(before));                            \
            h->s.csr.mstatus = before ^ ((before ^ now) & SSTATUS_QUIET); \
        } else {                                                          \
            SYNC();                                                       \
            if (!hart_op_sstatus(h, u, how, operand))                     \
                goto raised;                                              \
            LEAVE_AFTER_THIS;                                             \
        }                                                                 \
    } while (0)
#define DO_write_sstatus CHANGE_SSTATUS(CSR_WRITE, operand)
#define DO_set_sstatus   CHANGE_SSTATUS(CSR_SET, before | operand)
#define DO_clear_sstatus CHANGE_SSTATUS(CSR_CLEAR, before & ~operand)

/* ---- M: division by zero and overflow have results, not traps ---- */
#define DO_mul           \
    ON_MULTIPLY(S1, S2); \
    RD = S1 * S2
#define DO_mulh          \
    ON_MULTIPLY(S1, S2); \
    RD = (uint64_t)(((__int128)(int64_t)S1 * (int64_t)S2) >> 64)
#define DO_mulhsu        \
    ON_MULTIPLY(S1, S2); \
    RD = (uint64_t)(((__int128)(int64_t)S1 * (__int128)S2) >> 64)
#define DO_mulhu         \
    ON_MULTIPLY(S1, S2); \
    RD = (uint64_t)(((unsigned __int128)S1 * S2) >> 64)
#define DO_div                  \
    ON_DIVIDE(S1, S2, true, 0); \
    RD = divide_signed(S1, S2)
#define DO_divu                  \
    ON_DIVIDE(S1, S2, false, 2); \
    RD = S2 ? S1 / S2 : UINT64_MAX
#define DO_rem                  \
    ON_DIVIDE(S1, S2, true, 1); \
    RD = remainder_signed(S1, S2)
#define DO_remu                  \
    ON_DIVIDE(S1, S2, false, 3); \
    RD = S2 ? S1 % S2 : S1
#define DO_mulw RD = SEXT32(S1 * S2)
#define DO_divw                                 \
    ON_DIVIDE(SEXT32(S1), SEXT32(S2), true, 4); \
    RD = SEXT32(divide_signed(SEXT32(S1), SEXT32(S2)))
#define DO_divuw                                 \
    ON_DIVIDE(ZEXT32(S1), ZEXT32(S2), false, 6); \
    RD = (uint32_t)S2 ? SEXT32((uint32_t)S1 / (uint32_t)S2) : UINT64_MAX
#define DO_remw                                 \
    ON_DIVIDE(SEXT32(S1), SEXT32(S2), true, 5); \
    RD = SEXT32(remainder_signed(SEXT32(S1), SEXT32(S2)))
#define DO_remuw                                 \
    ON_DIVIDE(ZEXT32(S1), ZEXT32(S2), false, 7); \
    RD = SEXT32((uint32_t)S2 ? (uint32_t)S1 % (uint32_t)S2 : (uint32_t)S1)

/* ---- A: ATOMIC(type, expression of `old` and `arg`): rd = old, memory = expression ---- */
#define DO_lr_w      LOAD_RESERVED(int32_t)
#define DO_lr_d      LOAD_RESERVED(int64_t)
#define DO_sc_w      STORE_CONDITIONAL(uint32_t)
#define DO_sc_d      STORE_CONDITIONAL(uint64_t)
#define DO_amoswap_w ATOMIC(int32_t, arg)
#define DO_amoadd_w  ATOMIC(int32_t, (int32_t)((uint32_t)old + (uint32_t)arg))
#define DO_amoxor_w  ATOMIC(int32_t, old ^ arg)
#define DO_amoand_w  ATOMIC(int32_t, old &arg)
#define DO_amoor_w   ATOMIC(int32_t, old | arg)
#define DO_amomin_w  ATOMIC(int32_t, old < arg ? old : arg)
#define DO_amomax_w  ATOMIC(int32_t, old > arg ? old : arg)
#define DO_amominu_w ATOMIC(int32_t, (uint32_t)old < (uint32_t)arg ? old : arg)
#define DO_amomaxu_w ATOMIC(int32_t, (uint32_t)old > (uint32_t)arg ? old : arg)
#define DO_amoswap_d ATOMIC(int64_t, arg)
#define DO_amoadd_d  ATOMIC(int64_t, (int64_t)((uint64_t)old + (uint64_t)arg))
#define DO_amoxor_d  ATOMIC(int64_t, old ^ arg)
#define DO_amoand_d  ATOMIC(int64_t, old &arg)
#define DO_amoor_d   ATOMIC(int64_t, old | arg)
#define DO_amomin_d  ATOMIC(int64_t, old < arg ? old : arg)
#define DO_amomax_d  ATOMIC(int64_t, old > arg ? old : arg)
#define DO_amominu_d ATOMIC(int64_t, (uint64_t)old < (uint64_t)arg ? old : arg)
#define DO_amomaxu_d ATOMIC(int64_t, (uint64_t)old > (uint64_t)arg ? old : arg)

/* ---- Zabha ---- */
#define DO_amoswap_b ATOMIC(int8_t, arg)
#define DO_amoadd_b  ATOMIC(int8_t, (int8_t)(old + arg))
#define DO_amoxor_b  ATOMIC(int8_t, (int8_t)(old ^ arg))
#define DO_amoand_b  ATOMIC(int8_t, (int8_t)(old & arg))
#define DO_amoor_b   ATOMIC(int8_t, (int8_t)(old | arg))
#define DO_amomin_b  ATOMIC(int8_t, old < arg ? old : arg)
#define DO_amomax_b  ATOMIC(int8_t, old > arg ? old : arg)
#define DO_amominu_b ATOMIC(int8_t, (uint8_t)old < (uint8_t)arg ? old : arg)
#define DO_amomaxu_b ATOMIC(int8_t, (uint8_t)old > (uint8_t)arg ? old : arg)
#define DO_amoswap_h ATOMIC(int16_t, arg)
#define DO_amoadd_h  ATOMIC(int16_t, (int16_t)(old + arg))
#define DO_amoxor_h  ATOMIC(int16_t, (int16_t)(old ^ arg))
#define DO_amoand_h  ATOMIC(int16_t, (int16_t)(old & arg))
#define DO_amoor_h   ATOMIC(int16_t, (int16_t)(old | arg))
#define DO_amomin_h  ATOMIC(int16_t, old < arg ? old : arg)
#define DO_amomax_h  ATOMIC(int16_t, old > arg ? old : arg)
#define DO_amominu_h ATOMIC(int16_t, (uint16_t)old < (uint16_t)arg ? old : arg)
#define DO_amomaxu_h ATOMIC(int16_t, (uint16_t)old > (uint16_t)arg ? old : arg)

/* ---- Zacas: the operand is stored where rd's value is found. The old value is written back else.
 * ---- */
#define DO_amocas_b COMPARE_AND_SWAP(int8_t)
#define DO_amocas_h COMPARE_AND_SWAP(int16_t)
#define DO_amocas_w COMPARE_AND_SWAP(int32_t)
#define DO_amocas_d COMPARE_AND_SWAP(int64_t)
#define DO_amocas_q COMPARE_AND_SWAP_PAIR

/* ---- Zalasr: what they order is the ordered engine's matter ---- */
#define DO_lb_aq   LOAD_ALIGNED(int8_t)
#define DO_lb_aqrl LOAD_ALIGNED(int8_t)
#define DO_lh_aq   LOAD_ALIGNED(int16_t)
#define DO_lh_aqrl LOAD_ALIGNED(int16_t)
#define DO_lw_aq   LOAD_ALIGNED(int32_t)
#define DO_lw_aqrl LOAD_ALIGNED(int32_t)
#define DO_ld_aq   LOAD_ALIGNED(int64_t)
#define DO_ld_aqrl LOAD_ALIGNED(int64_t)
#define DO_sb_rl   STORE_ALIGNED(uint8_t)
#define DO_sb_aqrl STORE_ALIGNED(uint8_t)
#define DO_sh_rl   STORE_ALIGNED(uint16_t)
#define DO_sh_aqrl STORE_ALIGNED(uint16_t)
#define DO_sw_rl   STORE_ALIGNED(uint32_t)
#define DO_sw_aqrl STORE_ALIGNED(uint32_t)
#define DO_sd_rl   STORE_ALIGNED(uint64_t)
#define DO_sd_aqrl STORE_ALIGNED(uint64_t)

/* ---- Zawrs: the hart waits until its reservation is broken ---- */
#define DO_wrs_nto SYSTEM(hart_op_wrs(h, u, WRS_NO_TIMEOUT))
#define DO_wrs_sto SYSTEM(hart_op_wrs(h, u, WRS_SHORT_CYCLES))

/* ---- Zba ---- */
#define DO_add_uw    RD = ZEXT32(S1) + S2
#define DO_sh1add    RD = (S1 << 1) + S2
#define DO_sh2add    RD = (S1 << 2) + S2
#define DO_sh3add    RD = (S1 << 3) + S2
#define DO_sh1add_uw RD = (ZEXT32(S1) << 1) + S2
#define DO_sh2add_uw RD = (ZEXT32(S1) << 2) + S2
#define DO_sh3add_uw RD = (ZEXT32(S1) << 3) + S2
#define DO_slli_uw   RD = ZEXT32(S1) << IMM

/* ---- Zbb: counting gives the width for zero ---- */
#define DO_andn   RD = S1 & ~S2
#define DO_orn    RD = S1 | ~S2
#define DO_xnor   RD = ~(S1 ^ S2)
#define DO_clz    RD = S1 ? (uint64_t)__builtin_clzll(S1) : 64
#define DO_ctz    RD = S1 ? (uint64_t)__builtin_ctzll(S1) : 64
#define DO_cpop   RD = (uint64_t)__builtin_popcountll(S1)
#define DO_clzw   RD = (uint32_t)S1 ? (uint64_t)__builtin_clz((uint32_t)S1) : 32
#define DO_ctzw   RD = (uint32_t)S1 ? (uint64_t)__builtin_ctz((uint32_t)S1) : 32
#define DO_cpopw  RD = (uint64_t)__builtin_popcount((uint32_t)S1)
#define DO_min    RD = (int64_t)S1 < (int64_t)S2 ? S1 : S2
#define DO_minu   RD = S1 < S2 ? S1 : S2
#define DO_max    RD = (int64_t)S1 > (int64_t)S2 ? S1 : S2
#define DO_maxu   RD = S1 > S2 ? S1 : S2
#define DO_sext_b RD = (uint64_t)(int64_t)(int8_t)S1
#define DO_sext_h RD = (uint64_t)(int64_t)(int16_t)S1
#define DO_zext_h RD = (uint16_t)S1
#define DO_rol    RD = rotate_left(S1, S2)
#define DO_ror    RD = rotate_left(S1, -S2)
#define DO_rori   RD = rotate_left(S1, -(uint64_t)IMM)
#define DO_rolw   RD = rotate_left_word(S1, S2)
#define DO_rorw   RD = rotate_left_word(S1, -S2)
#define DO_roriw  RD = rotate_left_word(S1, -(uint64_t)IMM)
#define DO_orc_b  RD = fill_bytes(S1)
#define DO_rev8   RD = __builtin_bswap64(S1)

/* ---- Zbc: bits 63..0, 126..63 and 127..64 of the product ---- */
#define DO_clmul  RD = (uint64_t)carryless_product(S1, S2)
#define DO_clmulr RD = (uint64_t)(carryless_product(S1, S2) >> 63)
#define DO_clmulh RD = (uint64_t)(carryless_product(S1, S2) >> 64)

/* ---- Zbs ---- */
#define DO_bclr  RD = S1 & ~(UINT64_C(1) << (S2 & 63))
#define DO_bclri RD = S1 & ~(UINT64_C(1) << IMM)
#define DO_bext  RD = S1 >> (S2 & 63) & 1
#define DO_bexti RD = S1 >> IMM & 1
#define DO_binv  RD = S1 ^ UINT64_C(1) << (S2 & 63)
#define DO_binvi RD = S1 ^ UINT64_C(1) << IMM
#define DO_bset  RD = S1 | UINT64_C(1) << (S2 & 63)
#define DO_bseti RD = S1 | UINT64_C(1) << IMM

/* ---- Zihintntl, Zimop: nothing is cached, and no may-be-operation has got another meaning ---- */
#define DO_ntl_p1
#define DO_ntl_pall
#define DO_ntl_s1
#define DO_ntl_all
#define DO_mop_r  RD = 0
#define DO_mop_rr RD = 0

/* ---- Zicfilp, Zicfiss ---- */
#define DO_lpad                          \
    if (UNLIKELY(h->s.landing_expected)) \
    SLOW(hart_op_lpad(h, u))
#define DO_sspush      SLOW(hart_op_sspush(h, u))
#define DO_sspopchk    SLOW(hart_op_sspopchk(h, u))
#define DO_ssrdp       SLOW(hart_op_ssrdp(h, u))
#define DO_ssamoswap_w SLOW(hart_op_ssamoswap(h, u, 4))
#define DO_ssamoswap_d SLOW(hart_op_ssamoswap(h, u, 8))

/* ---- Zicond ---- */
#define DO_czero_eqz RD = S2 ? S1 : 0
#define DO_czero_nez RD = S2 ? 0 : S1

/*
 * ---- Zicbom, Zicboz, Zicbop. There are no data caches, so there is nothing to
 * write back or to lose: inval, clean and flush only check permissions. ----
 */
#define DO_cbo_inval SLOW(hart_op_cbo_manage(h, u, ENVCFG_CBIE))
#define DO_cbo_clean SLOW(hart_op_cbo_manage(h, u, ENVCFG_CBCFE))
#define DO_cbo_flush SLOW(hart_op_cbo_manage(h, u, ENVCFG_CBCFE))
#define DO_cbo_zero  SLOW(hart_op_cbo_zero(h, u))
#define DO_prefetch_i
#define DO_prefetch_r
#define DO_prefetch_w

/*
 * ---- F, D, Zfh, Zfa: one set of definitions for the three formats. ----
 *
 * do_float, before the first of them in a block, checks mstatus.FS, and sets it to
 * dirty before the first that writes a register.
 */
#define DO_fmadd(f)  FLOAT(f, fma, N1(f), N2(f), N3(f))
#define DO_fmsub(f)  FLOAT(f, fma, N1(f), N2(f), N3(f) ^ float_sign_bit(f))
#define DO_fnmsub(f) FLOAT(f, fma, N1(f) ^ float_sign_bit(f), N2(f), N3(f))
#define DO_fnmadd(f) FLOAT(f, fma, N1(f) ^ float_sign_bit(f), N2(f), N3(f) ^ float_sign_bit(f))
#define DO_fadd(f)   FLOAT(f, add, N1(f), N2(f))
#define DO_fsub(f)   FLOAT(f, sub, N1(f), N2(f))
#define DO_fmul(f)   FLOAT(f, mul, N1(f), N2(f))
#define DO_fdiv(f)                           \
    ON_FLOAT_DIVIDE(false, f, N1(f), N2(f)); \
    FLOAT(f, div, N1(f), N2(f));             \
    ON_FLOAT_DIVIDED()
#define DO_fsqrt(f)                     \
    ON_FLOAT_DIVIDE(true, f, N1(f), 0); \
    FLOAT(f, sqrt, N1(f));              \
    ON_FLOAT_DIVIDED()
#define DO_fround(f)   SOFT_FLOAT(f, float_round(f, N1(f), false, &env))
#define DO_froundnx(f) SOFT_FLOAT(f, float_round(f, N1(f), true, &env))
#define DO_fsgnj(f)    FD = float_box(f, float_with_sign_of(f, N1(f), N2(f)))
#define DO_fsgnjn(f)   FD = float_box(f, float_with_sign_of(f, N1(f), ~N2(f)))
#define DO_fsgnjx(f)   FD = float_box(f, float_with_sign_of(f, N1(f), N1(f) ^ N2(f)))
#define DO_fmin(f)     FD = float_box(f, float_min(f, N1(f), N2(f), false, &h->s.fflags))
#define DO_fmax(f)     FD = float_box(f, float_max(f, N1(f), N2(f), false, &h->s.fflags))
#define DO_fminm(f)    FD = float_box(f, float_min(f, N1(f), N2(f), true, &h->s.fflags))
#define DO_fmaxm(f)    FD = float_box(f, float_max(f, N1(f), N2(f), true, &h->s.fflags))
#define DO_feq(f)      FLOAT_TO_INT(fast_eq(f, N1(f), N2(f), &h->s.fflags))
#define DO_flt(f)      FLOAT_TO_INT(fast_lt(f, N1(f), N2(f), &h->s.fflags))
#define DO_fle(f)      FLOAT_TO_INT(fast_le(f, N1(f), N2(f), &h->s.fflags))
#define DO_fltq(f)     FLOAT_TO_INT(float_lt(f, N1(f), N2(f), true, &h->s.fflags))
#define DO_fleq(f)     FLOAT_TO_INT(float_le(f, N1(f), N2(f), true, &h->s.fflags))
#define DO_fclass(f)   RD = float_class(f, N1(f))
#define DO_fli(f)      FD = float_box(f, float_constant(f, u->rs1))
#define DO_fcvt_w(f)   ROUNDED(FLOAT_TO_INT(fast_to_int(f, N1(f), 32, true, &env)))
#define DO_fcvt_wu(f)  ROUNDED(FLOAT_TO_INT(fast_to_int(f, N1(f), 32, false, &env)))
#define DO_fcvt_l(f)   ROUNDED(FLOAT_TO_INT(fast_to_int(f, N1(f), 64, true, &env)))
#define DO_fcvt_lu(f)  ROUNDED(FLOAT_TO_INT(fast_to_int(f, N1(f), 64, false, &env)))
#define DO_fcvt_h_w    FLOAT(FLOAT_H, from_int, S1, 32, true)
#define DO_fcvt_s_w    FLOAT(FLOAT_S, from_int, S1, 32, true)
#define DO_fcvt_d_w    EXACT_FLOAT(FLOAT_D, double_of_word(S1, true))
#define DO_fcvt_h_wu   FLOAT(FLOAT_H, from_int, S1, 32, false)
#define DO_fcvt_s_wu   FLOAT(FLOAT_S, from_int, S1, 32, false)
#define DO_fcvt_d_wu   EXACT_FLOAT(FLOAT_D, double_of_word(S1, false))
#define DO_fcvt_h_l    FLOAT(FLOAT_H, from_int, S1, 64, true)
#define DO_fcvt_s_l    FLOAT(FLOAT_S, from_int, S1, 64, true)
#define DO_fcvt_d_l    FLOAT(FLOAT_D, from_int, S1, 64, true)
#define DO_fcvt_h_lu   FLOAT(FLOAT_H, from_int, S1, 64, false)
#define DO_fcvt_s_lu   FLOAT(FLOAT_S, from_int, S1, 64, false)
#define DO_fcvt_d_lu   FLOAT(FLOAT_D, from_int, S1, 64, false)

#define DO_fcvt_s_d    FLOAT(FLOAT_S, convert, FLOAT_D, N1(FLOAT_D))
#define DO_fcvt_d_s    SOFT_FLOAT(FLOAT_D, fast_widen(FLOAT_D, FLOAT_S, N1(FLOAT_S), &env))
#define DO_fcvt_s_h    SOFT_FLOAT(FLOAT_S, float_convert(FLOAT_S, FLOAT_H, N1(FLOAT_H), &env))
#define DO_fcvt_h_s    SOFT_FLOAT(FLOAT_H, float_convert(FLOAT_H, FLOAT_S, N1(FLOAT_S), &env))
#define DO_fcvt_d_h    SOFT_FLOAT(FLOAT_D, float_convert(FLOAT_D, FLOAT_H, N1(FLOAT_H), &env))
#define DO_fcvt_h_d    SOFT_FLOAT(FLOAT_H, float_convert(FLOAT_H, FLOAT_D, N1(FLOAT_D), &env))
#define DO_fcvtmod_w_d FLOAT_TO_INT(float_to_int_modular(F1, &h->s.fflags))

#define DO_flh     FLOAT_LOAD(uint16_t, FLOAT_H)
#define DO_flw     FLOAT_LOAD(uint32_t, FLOAT_S)
#define DO_fld     FLOAT_LOAD(uint64_t, FLOAT_D)
#define DO_fsh     FLOAT_STORE(uint16_t)
#define DO_fsw     FLOAT_STORE(uint32_t)
#define DO_fsd     FLOAT_STORE(uint64_t)
#define DO_fmv_x_h RD = (uint64_t)(int16_t)F1
#define DO_fmv_x_w RD = SEXT32(F1)
#define DO_fmv_x_d RD = F1
#define DO_fmv_h_x FD = float_box(FLOAT_H, (uint16_t)S1)
#define DO_fmv_w_x FD = float_box(FLOAT_S, (uint32_t)S1)
#define DO_fmv_d_x FD = S1

/* ---- the names in pair.def ---- */
#define DO_fmadd_d  DO_fmadd(FLOAT_D)
#define DO_fmsub_d  DO_fmsub(FLOAT_D)
#define DO_fnmsub_d DO_fnmsub(FLOAT_D)
#define DO_fnmadd_d DO_fnmadd(FLOAT_D)
#define DO_fadd_d   DO_fadd(FLOAT_D)
#define DO_fsub_d   DO_fsub(FLOAT_D)
#define DO_fmul_d   DO_fmul(FLOAT_D)
#define DO_fdiv_d   DO_fdiv(FLOAT_D)
#define DO_fsqrt_d  DO_fsqrt(FLOAT_D)
#define DO_fsgnj_d  DO_fsgnj(FLOAT_D)

#endif
