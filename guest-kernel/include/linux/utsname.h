/* utsname.h - the names of the system. */
#ifndef LINUX_UTSNAME_H
#define LINUX_UTSNAME_H

struct new_utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

extern const struct new_utsname init_uts;

#endif
