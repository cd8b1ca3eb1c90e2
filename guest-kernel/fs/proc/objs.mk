obj-y += base.o generic.o meminfo.o proc_sysctl.o task_mmu.o uptime.o version.o
