/* tty.h - the terminal on the console. */
#ifndef LINUX_TTY_H
#define LINUX_TTY_H

#include <linux/types.h>

/* Who gets SIGINT for ^C; 0: nobody. */
void tty_set_pgrp(pid_t pgrp);

#endif
