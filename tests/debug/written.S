# written.S - two harts that call a function all the time, keep what it returns, and execute a
# fence.i when `go` is not 0. VALUE is what the function returns.
        .option arch, rv64ima_zicsr_zifencei
        .text
        .globl  _start
_start: csrr    t0, mhartid
        slli    t0, t0, 3
        la      t1, results
        add     t1, t1, t0
        la      t2, go
        add     t2, t2, t0
loop:   call    function
        sd      a0, 0(t1)
kept:   ld      t3, 0(t2)
        beqz    t3, loop
        fence.i
        sd      zero, 0(t2)
        j       loop

        .globl  function, patch
        .type   function, @function
function:
patch:  li      a0, VALUE
        ret
        .size   function, . - function

        .bss
        .balign 4096
        .globl  results, go
results: .skip  16
go:     .skip   16
