/*
 * end_watch.h - ends the process for SIGINT, SIGTERM and SIGHUP within a second, whatever it does.
 *
 * The three signals are held from the start of the program on. A thread waits for them. A command
 * that looks at signals itself (a run, whose host does) ends in its own way: with its files and its
 * report. The thread sets `urgent' for it, and gives it a part of a second. When that is over, and
 * in commands that do not look, the thread removes files that are not complete and ends the
 * process.
 */
#ifndef HOST_END_WATCH_H
#define HOST_END_WATCH_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/compiler.h"

struct terminal;

struct end_watch {
    bool begun;
    int fd;        /* readable while one of the signals is pending */
    sigset_t held; /* those of the three that were not ignored */
    pthread_t thread;
    atomic_bool urgent; /* a signal is pending, or the timer has ended: somebody should look */
    atomic_bool looked; /* a command looks at signals itself */
    atomic_bool debugs; /* SIGINT is for the debugger */
    atomic_int number;  /* of the signal by which the command is ending; 0: none */
    atomic_int timer;   /* a descriptor that is readable when the time is over; -1: none */
    int wake;           /* readable when the timer was set */
    _Atomic(struct terminal *) terminal; /* to be given back; NULL: none */
};

/* Once, at the start of the program. The process is never without an end if this fails. */
void end_watch_begin(struct end_watch *e);

/* From here on the command looks at signals itself, or it does so no more. */
void end_watch_look(struct end_watch *e, bool looks);

/* The descriptor that is readable when the command's time is over; -1: it has no more one. */
void end_watch_set_timer(struct end_watch *e, int timer);

/* The command has taken the signal and is ending. */
void end_watch_note(struct end_watch *e, int number);

#endif
