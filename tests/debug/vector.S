# vector.S - bytes 0, 1, 2 and so on in v1, twice that in v2, and then an endless loop, for vector.sh.
    .globl _start
_start:
    li t0, 0x200
    csrs mstatus, t0
    vsetvli t1, zero, e8, m1, ta, ma
    vid.v v1
    vadd.vv v2, v1, v1
    .globl done
done:
    vadd.vi v3, v2, 0
    j done
