/* signal.h - the signals' numbers, as RISC-V Linux has them. */
#ifndef LINUX_SIGNAL_H
#define LINUX_SIGNAL_H

#define SIGHUP  1
#define SIGINT  2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGTERM 15
#define _NSIG   64

#endif
