/* signal.h - signal numbers of RISC-V Linux. */
#ifndef LINUX_SIGNAL_H
#define LINUX_SIGNAL_H

#define SIGHUP   1
#define SIGINT   2
#define SIGQUIT  3
#define SIGILL   4
#define SIGTRAP  5
#define SIGABRT  6
#define SIGBUS   7
#define SIGFPE   8
#define SIGKILL  9
#define SIGUSR1  10
#define SIGSEGV  11
#define SIGUSR2  12
#define SIGPIPE  13
#define SIGALRM  14
#define SIGTERM  15
#define SIGCHLD  17
#define SIGCONT  18
#define SIGSTOP  19
#define SIGTSTP  20
#define SIGTTIN  21
#define SIGTTOU  22
#define SIGURG   23
#define SIGWINCH 28
#define _NSIG    64

/* Values of si_code. */
enum { ILL_ILLOPC = 1, TRAP_BRKPT = 1, BUS_ADRALN = 1, BUS_ADRERR = 2 };
enum { SI_USER = 0, SI_KERNEL = 0x80, CLD_EXITED = 1, CLD_KILLED = 2 };
enum { CLD_STOPPED = 5, CLD_CONTINUED = 6 };
enum { SEGV_MAPERR = 1, SEGV_ACCERR = 2 };

#endif
