/*
 * interptest.c - programs that name an interpreter, which loads them: here one of some
 * instructions, at an address that the kernel chooses, that finds the program by the auxiliary
 * vector.
 */
#include "libc.h"

#define PROGRAM "/tmp/with-interp"
#define INTERP  "/tmp/interp"

enum { PT_LOAD = 1, PT_INTERP = 3, ET_DYN = 3, INTERP_ENDED = 77 };

struct ehdr {
    unsigned char ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct phdr {
    uint32_t type, flags;
    uint64_t offset, vaddr, paddr, filesz, memsz, align;
};

/*
 * The interpreter's text, which follows its headers in the same page. It ends with 77 if there is
 * an argument, else the program begins.
 */
extern const char interp_text[], interp_text_end[];
__asm__(".pushsection .rodata\n"
        ".globl interp_text, interp_text_end\n"
        "interp_text:\n"
        "    auipc t3, 0\n" /* 256 bytes behind its base */
        "    ld   t0, 0(sp)\n"
        "    addi t1, sp, 8\n"
        "    slli t2, t0, 3\n"
        "    add  t1, t1, t2\n"
        "1:  addi t1, t1, 8\n" /* NULL of argv, then the environment */
        "    ld   t2, 0(t1)\n"
        "    bnez t2, 1b\n"
        "    addi t1, t1, 8\n"
        "2:  ld   t2, 0(t1)\n"
        "    ld   t4, 8(t1)\n"
        "    addi t1, t1, 16\n"
        "    addi t5, t2, -7\n" /* AT_BASE */
        "    bnez t5, 3f\n"
        "    mv   a1, t4\n"
        "3:  addi t5, t2, -9\n" /* AT_ENTRY */
        "    bnez t5, 4f\n"
        "    mv   a2, t4\n"
        "4:  bnez t2, 2b\n"
        "    addi a1, a1, 256\n"
        "    li   a0, 99\n"
        "    bne  a1, t3, 5f\n"
        "    li   a0, 77\n"
        "    addi t0, t0, -1\n"
        "    bnez t0, 5f\n"
        "    jr   a2\n"
        "5:  li   a7, 94\n" /* exit_group */
        "    ecall\n"
        "interp_text_end:\n"
        ".popsection\n");

static void put_file(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

    write(fd, data, size);
    close(fd);
}

static void put_interp(void)
{
    enum { TEXT = 256 };
    static struct {
        struct ehdr ehdr;
        struct phdr phdr;
        char space[TEXT - sizeof(struct ehdr) - sizeof(struct phdr)];
        char text[TEXT];
    } file = {.ehdr = {{0x7f, 'E', 'L', 'F', 2, 1, 1}, ET_DYN, 243, 1, TEXT, sizeof(struct ehdr)}};

    file.ehdr.phentsize = sizeof(struct phdr);
    file.ehdr.phnum = 1;
    file.phdr = (struct phdr){PT_LOAD, 5, 0, 0, 0, sizeof(file), sizeof(file), PAGE_SIZE};
    memcpy(file.text, interp_text, interp_text_end - interp_text);
    put_file(INTERP, &file, sizeof(file));
}

/* hello, with the first of its headers that is not needed replaced. False: there is none. */
static bool put_program(void)
{
    static char file[256 * 1024];
    const struct ehdr *e = (void *)file;
    int fd = open("/bin/hello", O_RDONLY, 0);
    ssize_t size = read(fd, file, sizeof(file) - sizeof(INTERP));
    struct phdr *p = (void *)(file + e->phoff), *end = p + e->phnum;

    close(fd);
    while (p < end && p->type == PT_LOAD)
        p++;
    if (p == end || size <= 0)
        return false;
    *p = (struct phdr){PT_INTERP, 4, size, 0, 0, sizeof(INTERP), sizeof(INTERP), 1};
    memcpy(file + size, INTERP, sizeof(INTERP));
    put_file(PROGRAM, file, size + sizeof(INTERP));
    return true;
}

/* The status of the program, or the error of its start. */
static int run(const char *arg)
{
    char *const argv[] = {PROGRAM, (char *)arg, NULL};
    int status = -1;
    pid_t pid = fork();

    if (!pid)
        _exit(-execve(PROGRAM, argv, (char *[]){NULL}));
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    static const char zeroes[128];

    mkdir("/tmp", 0755);
    check("a program that names an interpreter can be made", put_program());
    check("without the interpreter it is ENOENT", run(NULL) == ENOENT);
    put_interp();
    check("the interpreter begins, and knows where it is", run("argument") == INTERP_ENDED);
    check("it finds the program, which begins in its place", run(NULL) == 0);
    put_file(INTERP, zeroes, sizeof(zeroes));
    check("an interpreter that is no ELF file is ELIBBAD", run(NULL) == ELIBBAD);
    unlink(INTERP);
    unlink(PROGRAM);
    return check_result();
}
