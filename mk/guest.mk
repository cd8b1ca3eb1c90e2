# guest.mk - the guest kernel, in each layout of its call sites.
#
#   make guest                          every image that run and test need
#   make guest LAYOUT=mcount            one of GUEST_LAYOUTS
#   make guest LAYOUT=pfe8 FLAVOUR=X    one with what costs cycles also when it is off: one of GUEST_FLAVOURS
#   make guest LAYOUT=mcount BREAK=X    one of GUEST_BREAKS: with the change of tests/broken/X.patch
#
# The image is $(BUILD)/guest-kernel/LAYOUT[-X]/kernel.elf; in the same directory are
# kernel.map (its symbols) and Image (its bytes as in memory).  RECORDMCOUNT, Q, say
# and BOOTSTRAP_BUILD come from tools.mk.

GUEST_SRC     := guest-kernel
GUEST_OUT     := $(BUILD)/guest-kernel
GUEST_LAYOUTS := none static mcount pfe16 pfe8 atomic callops
# Kernels with tracers that cost cycles also when they are off; those of `make test'.
GUEST_FLAVOURS  := latency branch
GUEST_FLAVOURED := pfe8-latency pfe8-branch
# That of `make check-long' alone.
GUEST_LONG      := pfe8-branch
# Kernels with a mistake: tests/broken/NAME.patch, whose line "layouts: ..." says which ones they are.
GUEST_BREAKS  := $(basename $(notdir $(wildcard tests/broken/*.patch)))
# broken-NAME-layouts, broken-NAME-by, broken-NAME-first (of its rule) and broken-NAME-file (those it changes) are read by one awk: a shell for each would
# take half of make's own time.
comma := ,
guest_break_line = $(eval broken-$(word 1,$(1))-$(word 2,$(1)) += $(wordlist 3,$(words $(1)),$(1)))
$(foreach line,$(shell awk '\
	FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/\.patch$$/, "", name) } \
	/^(layouts|by): / { key = $$1; sub(/:/, "", key); line = name "," key; for (i = 2; i <= NF; i++) line = line "," $$i; print line } \
	/^rule: / { rule = $$2; explored = 0 } /^by: / { explored = 1 } \
	/^---/ && rule { if (!explored && !(rule in first)) { first[rule]; print name ",first,yes" } rule = "" } \
	/^\+\+\+ b\// { sub(/^b\/$(GUEST_SRC)\//, "", $$2); print name ",file," $$2 }' tests/broken/*.patch),\
	$(call guest_break_line,$(subst $(comma), ,$(line))))
guest_break_layouts = $(broken-$(1)-layouts)
GUEST_BROKEN := $(foreach b,$(GUEST_BREAKS),$(addsuffix -$(b),$(call guest_break_layouts,$(b))))
# Those of `make test': the first mistake of each rule, in the first of its layouts, and what single tests need. `make
# check-mutants' has them all.
GUEST_EXPLORED := $(strip $(foreach b,$(GUEST_BREAKS),$(if $(filter explore,$(broken-$(b)-by)),$(b))))
GUEST_TESTED := $(strip $(foreach b,$(GUEST_BREAKS),$(if $(broken-$(b)-first),$(firstword $(call guest_break_layouts,$(b)))-$(b))) \
	$(filter %-a7-not-restored %-half-a-call %-hart-not-awaited %-no-local-fence %-no-remote-fence,$(GUEST_BROKEN)))

GUEST_CC      := $(CROSS)gcc
GUEST_LD      := $(CROSS)ld
GUEST_NM      := $(CROSS)nm
GUEST_OBJCOPY := $(CROSS)objcopy

GUEST_CPPFLAGS := -I$(GUEST_SRC)/arch/riscv/include -I$(GUEST_SRC)/include
# -mno-relax: a call site must stay a pair of auipc and jalr.  Tail calls are
# allowed: the tracer must handle them, as Linux's does.
GUEST_CFLAGS := -std=gnu11 -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany \
	-mno-relax -msmall-data-limit=0 -O2 -g -ffreestanding -fno-common \
	-fno-stack-protector -fno-pic -fno-asynchronous-unwind-tables \
	-fno-strict-aliasing -fno-tree-loop-distribute-patterns \
	-Wall -Wextra -Wshadow -Werror
GUEST_ASFLAGS := -D__ASSEMBLY__ -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax -g
GUEST_LDFLAGS := -nostdlib --no-relax -z max-page-size=4096 --build-id=none \
	-T $(GUEST_SRC)/arch/riscv/kernel/vmlinux.lds

# Files of every layout.
GUEST_OBJS := $(addprefix arch/riscv/, \
	kernel/head.o kernel/entry.o kernel/asm-offsets.o kernel/sbi.o kernel/setup.o \
	kernel/cpu.o kernel/smp.o kernel/smpboot.o kernel/stacktrace.o kernel/traps.o \
	mm/cacheflush.o mm/init.o) \
	$(addprefix init/, do_mounts.o main.o emergency.o initramfs.o initramfs_data.o) \
	$(addprefix kernel/, fork.o irq_work.o kallsyms.o kallsyms_procfs.o kthread.o panic.o params.o printk.o signal.o smp.o \
	stop_machine.o locking/locking_test.o locking/mutex.o locking/spinlock.o rcu/tasks.o \
	rcu/tree.o rcu/rcu_test.o sched/completion.o sched/core.o sched/deadline.o sched/fair.o sched/rt.o \
	sched/sched_test.o sched/stop_task.o sched/wait.o time/hrtimer.o time/time.o \
	time/time_test.o time/timer.o workload/calls.o workload/deep.o \
	$(patsubst %,workload/density%.o,4 16 64 256 1024) workload/mixed.o workload/procfs.o workload/sort.o \
	workload/tree.o workload/workload.o) \
	$(addprefix mm/, page_alloc.o slab.o util.o) \
	$(addprefix fs/, dcache.o file.o file_table.o filesystems.o fs_struct.o fs_test.o inode.o libfs.o mount_test.o namei.o \
	namespace.o open.o pipe.o proc_namespace.o read_write.o readdir.o seq_file.o stat.o super.o \
	debugfs/inode.o sysfs/mount.o proc/base.o proc/generic.o proc/meminfo.o proc/proc_sysctl.o proc/task_mmu.o proc/uptime.o proc/version.o \
	ramfs/inode.o) \
	$(addprefix drivers/, base/cpu.o char/mem.o of/fdt.o power/reset/sifive-test.o tty/console.o tty/ns16550.o tty/sysrq.o \
	tty/tty_io.o) \
	$(addprefix kernel/, workqueue.o workqueue_test.o module/kallsyms.o module/main.o \
	module/procfs.o module/syscalls.o) \
	$(addprefix block/, bio.o blk-core.o blk-merge.o blk-mq.o fops.o genhd.o) \
	drivers/block/virtio_blk.o drivers/char/virtio_console.o drivers/irqchip/irq-sifive-plic.o \
	$(addprefix drivers/virtio/, virtio.o virtio_mmio.o virtio_ring.o) \
	$(addprefix fs/ext2/, balloc.o dir.o inode.o namei.o super.o) \
	$(addprefix fs/, buffer.o drop_caches.o fs-writeback.o mpage.o sync.o) \
	$(addprefix kernel/irq/, handle.o manage.o proc.o) arch/riscv/mm/ioremap.o \
	$(addprefix mm/, filemap.o page-writeback.o readahead.o truncate.o) lib/radix-tree.o \
	mm/mm_test.o mm/vmalloc.o $(addprefix arch/riscv/mm/, pageattr.o wx_test.o) \
	$(addprefix arch/riscv/kernel/, jump_label.o module.o patch.o riscv_ksyms.o) kernel/jump_label.o kernel/jump_label_test.o \
	$(addprefix lib/, buildid.o errno.o glob.o kstrtox.o kunit/procfs.o kunit/test.o sort.o string.o vsprintf.o)

# Probes.
GUEST_PROBE_OBJS := $(addprefix arch/riscv/kernel/probes/, decode-insn.o kprobes.o simulate-insn.o rethook_trampoline.o) \
	$(addprefix kernel/, kprobes.o kprobes_slots.o kretprobes.o rethook.o)
GUEST_OBJS += $(GUEST_PROBE_OBJS) $(addprefix kernel/, kprobes_files.o kprobes_test.o)

# Programs: address spaces, system calls.
GUEST_OBJS += $(addprefix arch/riscv/, \
	kernel/fpu.o kernel/process.o kernel/signal.o kernel/syscall_table.o lib/uaccess.o \
	mm/context.o mm/extable.o mm/fault.o mm/tlbflush.o) \
	drivers/char/random.o $(addprefix fs/, binfmt_elf.o binfmt_script.o eventfd.o exec.o select.o splice.o syscalls.o) \
	$(addprefix kernel/, exit.o futex.o sys.o sys_ni.o sched/syscalls.o time/posix.o) \
	lib/usercopy.o $(addprefix mm/, memory.o mmap.o)

# Files of the layouts that can trace.
GUEST_TRACE_OBJS := kernel/tracepoint.o kernel/tracepoint_test.o \
	$(addprefix arch/riscv/ftrace/, graph.o return_to_handler.o) $(addprefix arch/riscv/mm/, mmio-mod.o mmio_test.o pf_in.o) \
	$(addprefix kernel/events/, callchain.o core.o file.o inherit.o pmu.o records.o ring_buffer.o sample.o software.o syscall.o) \
	drivers/perf/riscv_pmu_sbi.o \
	$(addprefix kernel/trace/, trace_event_perf.o fgraph.o ftrace.o ftrace_pid.o ftrace_profile.o \
	pid_list.o ring_buffer.o ring_buffer_read.o ring_buffer_test.o trace.o trace_boot.o \
	blktrace.o blktrace_print.o blktrace_relay.o trace_buffer_files.o trace_clock.o trace_cmdlines.o trace_dump.o trace_files.o \
	trace_event_output.o trace_dynevent.o trace_eprobe.o trace_error_log.o trace_events.o trace_events_files.o trace_events_filter.o trace_events_filter_test.o trace_events_trigger.o trace_events_write.o trace_events_hist.o trace_events_synth.o trace_hist_action.o trace_hist_field.o trace_hist_print.o tracing_map.o \
	trace_functions.o trace_functions_graph.o trace_graph_output.o trace_headers.o trace_events_pid.o trace_instances.o trace_instances_test.o \
	trace_iterator.o trace_latency.o trace_marker.o trace_nop.o trace_options.o trace_output.o trace_export.o trace_mmiotrace.o \
	trace_kprobe.o trace_pid_files.o trace_printk.o trace_probe.o trace_raw_pipe.o trace_read.o trace_sched_wakeup.o \
	trace_selftest.o trace_selftest_wakeup.o trace_seq.o trace_snapshot.o trace_stack.o trace_syscalls.o)

# What runs programs of BPF inside the tracers' hooks.
GUEST_TRACE_OBJS += kernel/trace/bpf_trace.o \
	$(addprefix kernel/bpf/, arraymap.o core.o fd_array.o func_proto.o hashtab.o helpers.o jit.o ringbuf.o stackmap.o tnum.o) \
	$(addprefix arch/riscv/net/, bpf_jit_comp64.o bpf_jit_core.o)

# Files of the layouts that patch their sites.
GUEST_DYNAMIC_OBJS := $(GUEST_TRACE_OBJS) arch/riscv/ftrace/code.o \
	$(addprefix kernel/trace/, ftrace_hash.o ftrace_mod.o ftrace_probe.o ftrace_rec.o trace_filter_files.o)

# Instrumented files of the layouts that can trace.
GUEST_TRACEFS_OBJS := fs/tracefs/inode.o $(addprefix kernel/bpf/, disasm.o verifier.o \
	$(addprefix verifier_, alu.o btf.o call.o callback.o cfg.o jmp.o log.o mem.o precision.o prune.o scalar.o state.o))
GUEST_TRACEFS_OBJS += $(addprefix kernel/bpf/, btf.o btf_cmd.o btf_resolve.o info_cmd.o inode.o link_cmd.o map_cmd.o \
	map_in_map.o prog_cmd.o syscall.o tag.o)

# Instrumented files of the layouts that patch their sites: functions for the tracers' self-tests.
GUEST_TRACED_TEST_OBJS := kernel/trace/ftrace_test.o kernel/trace/trace_selftest_dynamic.o

# Never instrumented: the tracer and the code that it calls (trace, lib, kallsyms, stacktrace);
# code that runs with the MMU off (mm/init); code that patches text, up to the fences (patch,
# sbi, cacheflush, mm/init's fixmap); code that runs during patching (stop_machine); what handles a kprobe.
GUEST_NOTRACE := $(GUEST_DYNAMIC_OBJS) $(GUEST_PROBE_OBJS) arch/riscv/kernel/probes/% arch/riscv/ftrace/% arch/riscv/kernel/asm-offsets.o \
	arch/riscv/kernel/jump_label.o arch/riscv/kernel/patch.o kernel/jump_label.o \
	arch/riscv/kernel/riscv_ksyms.o arch/riscv/kernel/sbi.o arch/riscv/kernel/stacktrace.o \
	arch/riscv/mm/cacheflush.o arch/riscv/mm/init.o kernel/irq_work.o kernel/kallsyms.o \
	kernel/module/kallsyms.o kernel/stop_machine.o kernel/trace/fprobe.o lib/glob.o lib/kstrtox.o lib/string.o lib/vsprintf.o

# Per layout: objects, flags, the flags of instrumented files, and the options with
# which recordmcount checks and sorts the table of sites (static has none).
guest_trace_cflags   = -fno-omit-frame-pointer -DCONFIG_FUNCTION_TRACER -DCONFIG_FRAME_POINTER -DCONFIG_TRACEPOINTS -DCONFIG_EVENT_TRACING -DCONFIG_FTRACE_SYSCALLS -DCONFIG_BLK_DEV_IO_TRACE -DCONFIG_MMIOTRACE -DCONFIG_PERF_EVENTS -DCONFIG_BPF_SYSCALL \
	-I$(GUEST_SRC)/arch/riscv/ftrace/$(1)
guest_dynamic_cflags = $(call guest_trace_cflags,$(1)) -DCONFIG_DYNAMIC_FTRACE
guest_stopped_cflags = $(call guest_dynamic_cflags,$(1)) -DCONFIG_DYNAMIC_FTRACE_WITH_REGS -DCONFIG_FPROBE
guest_stopped_objs   = $(GUEST_OBJS) $(GUEST_TRACEFS_OBJS) $(GUEST_DYNAMIC_OBJS) $(GUEST_TRACED_TEST_OBJS) arch/riscv/ftrace/calls.o \
	arch/riscv/kernel/probes/ftrace.o kernel/trace/fprobe.o kernel/trace/fprobe_test.o \
	arch/riscv/ftrace/$(1)/sites.o arch/riscv/ftrace/$(2).o
# One word is replaced by one store, so functions must be aligned.  GCC 12 does not
# align functions that it considers cold, so that guess is disabled.
guest_atomic_cflags  = $(call guest_dynamic_cflags,$(1)) -DCONFIG_DYNAMIC_FTRACE_WITH_ARGS \
	-DCC_USING_PATCHABLE_FUNCTION_ENTRY -falign-functions=$(2)
guest_atomic_objs    = $(GUEST_OBJS) $(GUEST_TRACEFS_OBJS) $(GUEST_DYNAMIC_OBJS) $(GUEST_TRACED_TEST_OBJS) \
	$(addprefix arch/riscv/ftrace/atomic/, sites.o ftrace_caller.o)
guest_pfe            = -fpatchable-function-entry=$(1)

guest_objs_none     := $(GUEST_OBJS)
guest_cflags_none   := -fomit-frame-pointer
guest_pg_none       :=
guest_sort_none     :=

guest_objs_static   := $(GUEST_OBJS) $(GUEST_TRACEFS_OBJS) $(GUEST_TRACE_OBJS) arch/riscv/ftrace/static/mcount.o
guest_cflags_static := $(call guest_trace_cflags,static)
guest_pg_static     := -pg
guest_sort_static   :=

guest_objs_mcount   := $(call guest_stopped_objs,mcount,mcount/ftrace_caller)
guest_cflags_mcount := $(call guest_stopped_cflags,mcount)
guest_pg_mcount     := -pg
guest_sort_mcount   := --sort

guest_objs_pfe16    := $(call guest_stopped_objs,pfe16,entry_caller)
guest_cflags_pfe16  := $(call guest_stopped_cflags,pfe16) -DCC_USING_PATCHABLE_FUNCTION_ENTRY
guest_pg_pfe16      := $(call guest_pfe,8)
guest_sort_pfe16    := --sort --nops=16

guest_objs_pfe8     := $(call guest_stopped_objs,pfe8,entry_caller)
guest_cflags_pfe8   := $(call guest_stopped_cflags,pfe8) -DCC_USING_PATCHABLE_FUNCTION_ENTRY
guest_pg_pfe8       := $(call guest_pfe,4)
guest_sort_pfe8     := --sort --nops=8

guest_objs_atomic   := $(call guest_atomic_objs,atomic) arch/riscv/ftrace/atomic/dest.o
guest_cflags_atomic := $(call guest_atomic_cflags,atomic,4)
guest_pg_atomic     := $(call guest_pfe,4)
guest_sort_atomic   := --sort --nops=8 --align=4

guest_objs_callops  := $(call guest_atomic_objs,callops) arch/riscv/ftrace/callops/site_ops.o
guest_cflags_callops := $(call guest_atomic_cflags,callops,8) -DCONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
guest_pg_callops    := $(call guest_pfe,8$(comma)4)
guest_sort_callops  := --sort --nops=16 --align=8

# Per flavour: further objects, those of them that are not instrumented, and flags. It must not be traced where it is traced from.
guest_objs_of_latency   := arch/riscv/kernel/trace_irq.o kernel/sched/preempt.o \
	$(addprefix kernel/trace/, trace_irqsoff.o trace_preemptirq.o trace_selftest_latency.o)
guest_cflags_of_latency := -DCONFIG_TRACE_IRQFLAGS -DCONFIG_TRACE_PREEMPT_TOGGLE -DCONFIG_IRQSOFF_TRACER \
	-DCONFIG_PREEMPT_TRACER
GUEST_NOTRACE += arch/riscv/kernel/trace_irq.o kernel/trace/trace_irqsoff.o kernel/trace/trace_preemptirq.o \
	kernel/trace/trace_selftest_latency.o

guest_objs_of_branch   := kernel/trace/trace_branch.o
guest_cflags_of_branch := -DCONFIG_PROFILE_BRANCHES -Wno-shadow
GUEST_NOTRACE += kernel/trace/trace_branch.o

# guest_flavour LAYOUT,FLAVOUR - a layout of its own, LAYOUT-FLAVOUR.
define guest_flavour
guest_objs_$(1)-$(2)   = $$(guest_objs_$(1)) $$(guest_objs_of_$(2))
guest_cflags_$(1)-$(2) = $$(guest_cflags_$(1)) $$(guest_cflags_of_$(2))
guest_pg_$(1)-$(2)     = $$(guest_pg_$(1))
guest_sort_$(1)-$(2)   = $$(guest_sort_$(1))
endef

ifneq ($(FLAVOUR),)
  ifeq ($(and $(filter $(FLAVOUR),$(GUEST_FLAVOURS)),$(filter-out none,$(LAYOUT)),$(if $(BREAK),,x)),)
    $(error FLAVOUR=$(FLAVOUR): needs a LAYOUT that traces, and no BREAK; there are: $(GUEST_FLAVOURS))
  endif
  GUEST_FLAVOURED := $(sort $(GUEST_FLAVOURED) $(LAYOUT)-$(FLAVOUR))
endif
$(foreach k,$(GUEST_FLAVOURED),$(eval $(call guest_flavour,$(firstword $(subst -, ,$(k))),$(lastword $(subst -, ,$(k))))))

# Modules: one file each, in samples/.
GUEST_MODULES := trace_sample sample_user misuse event_sample trace_printk

# guest_recorded LAYOUT - not empty if recordmcount makes the table of sites of each object.
guest_recorded = $(and $(filter -pg,$(guest_pg_$(1))),$(guest_sort_$(1)))

# guest_compile DIR,LAYOUT,SOURCES - the objects in DIR of the files in SOURCES. A file includes others of its
# own directory by the kernel's tree.
define guest_compile
$$(GUEST_OUT)/$(1)/%.o: $(3)/%.c $$(if $$(call guest_recorded,$(2)),$$(RECORDMCOUNT)) | $$(BOOTSTRAP_BUILD)
	$$(say) CC $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CPPFLAGS) -iquote $$(GUEST_SRC)/$$(dir $$*) $$(GUEST_CFLAGS) $$(guest_cflags_$(2)) \
		$$(if $$(filter $$(GUEST_NOTRACE),$$*.o),-DDISABLE_BRANCH_PROFILING,$$(guest_pg_$(2))) \
		$$(if $$(filter samples/%,$$*),-DMODULE) -MMD -MP -c -o $$@ $$<
	$$(if $$(call guest_recorded,$(2)),$$(if $$(filter $$(GUEST_NOTRACE),$$*.o),,$$(Q)$$(RECORDMCOUNT) $$@))

$$(GUEST_OUT)/$(1)/%.o: $(3)/%.S | $$(BOOTSTRAP_BUILD)
	$$(say) AS $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CPPFLAGS) -iquote $$(GUEST_SRC)/$$(dir $$*) $$(GUEST_ASFLAGS) $$(guest_cflags_$(2)) \
		-MMD -MP -c -o $$@ $$<
endef

# guest_link DIR,LAYOUT - the kernel of the objects $(DIR-objs).
define guest_link
$(1)-dir  := $$(GUEST_OUT)/$(1)

# The kernel is linked twice: first with an empty symbol table, then with the one made
# from the first link.  No function may have moved between the two.
$$($(1)-dir)/kallsyms0.S: $$(GUEST_SRC)/scripts/kallsyms.awk | $$(BOOTSTRAP_BUILD)
	$$(Q)mkdir -p $$(@D)
	$$(Q)awk -f $$< /dev/null > $$@

$$($(1)-dir)/kernel0.elf: $$($(1)-objs) $$($(1)-dir)/kallsyms0.o \
		$$(GUEST_SRC)/arch/riscv/kernel/vmlinux.lds
	$$(say) LD $$@
	$$(Q)$$(GUEST_LD) $$(GUEST_LDFLAGS) -o $$@ $$($(1)-objs) $$($(1)-dir)/kallsyms0.o

$$($(1)-dir)/kallsyms.S: $$($(1)-dir)/kernel0.elf $$(GUEST_SRC)/scripts/kallsyms.awk
	$$(say) KSYMS $$@
	$$(Q)$$(GUEST_NM) -n $$< | awk -f $$(GUEST_SRC)/scripts/kallsyms.awk > $$@

$$($(1)-dir)/kallsyms0.o $$($(1)-dir)/kallsyms.o: %.o: %.S | $$(BOOTSTRAP_BUILD)
	$$(Q)$$(GUEST_CC) $$(GUEST_ASFLAGS) -c -o $$@ $$<

$$($(1)-dir)/kernel.elf: $$($(1)-dir)/kernel0.elf $$($(1)-dir)/kallsyms.o $$(if $$(guest_sort_$(2)),$$(RECORDMCOUNT))
	$$(say) LD $$@
	$$(Q)$$(GUEST_LD) $$(GUEST_LDFLAGS) -o $$@ $$($(1)-objs) $$($(1)-dir)/kallsyms.o
	$$(if $$(guest_sort_$(2)),$$(Q)$$(RECORDMCOUNT) $$(guest_sort_$(2)) $$@)
	$$(Q)$$(GUEST_NM) -n $$@ > $$($(1)-dir)/kernel.map
	$$(Q)$$(GUEST_NM) -n $$@ | awk -f $$(GUEST_SRC)/scripts/kallsyms.awk | \
		cmp -s - $$($(1)-dir)/kallsyms.S || \
		{ echo "guest.mk: $$@: functions moved between the two links" >&2; exit 1; }

$$($(1)-dir)/Image: $$($(1)-dir)/kernel.elf
	$$(say) OBJCOPY $$@
	$$(Q)$$(GUEST_OBJCOPY) -O binary $$< $$@

.PHONY: guest-$(1)
guest-$(1): $$($(1)-dir)/kernel.elf $$($(1)-dir)/Image
endef

# guest_modules LAYOUT - the first contents of the root directory, and the modules.
define guest_modules
$$($(1)-dir)/init/initramfs_data.o: GUEST_ASFLAGS += -DINITRAMFS='"$$(GUEST_OUT)/initramfs.cpio"'
$$($(1)-dir)/init/initramfs_data.o: $$(GUEST_OUT)/initramfs.cpio

# A module is its object and its struct module, combined by ld -r.
$$($(1)-dir)/samples/%.mod.o: $$(GUEST_SRC)/scripts/module.mod.c | $$(BOOTSTRAP_BUILD)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CPPFLAGS) $$(GUEST_CFLAGS) $$(guest_cflags_$(2)) -DMODULE \
		-DKBUILD_MODNAME='"$$*"' -MMD -MP -c -o $$@ $$<

$$($(1)-dir)/%.ko: $$($(1)-dir)/samples/%.o $$($(1)-dir)/samples/%.mod.o
	$$(say) LD $$@
	$$(Q)$$(GUEST_LD) -r -S -o $$@ $$^

# An archive that can be appended to another: boot loaders pass both as one initrd.
$$($(1)-dir)/modules.cpio: $$(GUEST_MODULES:%=$$($(1)-dir)/%.ko)
	$$(say) CPIO $$@
	$$(Q)rm -rf $$($(1)-dir)/root && mkdir -p $$($(1)-dir)/root/lib/modules
	$$(Q)cp $$^ $$($(1)-dir)/root/lib/modules
	$$(Q)cd $$($(1)-dir)/root && find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | \
		cpio --quiet --reproducible -R 0:0 -o -H newc > "$$(abspath $$@)"

guest-$(1): $$($(1)-dir)/modules.cpio

.SECONDARY: $$(foreach m,$$(GUEST_MODULES),$$($(1)-dir)/samples/$$(m).o $$($(1)-dir)/samples/$$(m).mod.o)
-include $$(GUEST_MODULES:%=$$($(1)-dir)/samples/%.d) $$(GUEST_MODULES:%=$$($(1)-dir)/samples/%.mod.d)
endef

# guest_broken LAYOUT,BREAK - a kernel of which only the changed files are compiled.
define guest_broken
$(1)-$(2)-changed := $$(broken-$(2)-file)
$(1)-$(2)-own  := $$(addsuffix .o,$$(basename $$($(1)-$(2)-changed)))
$(1)-$(2)-objs := $$(addprefix $$(GUEST_OUT)/$(1)-$(2)/changed/,$$($(1)-$(2)-own)) \
	$$(addprefix $$(GUEST_OUT)/$(1)/,$$(filter-out $$($(1)-$(2)-own),$$(guest_objs_$(1))))

$$(addprefix $$(GUEST_OUT)/$(1)-$(2)/src/,$$($(1)-$(2)-changed)) &: tests/broken/$(2).patch \
		$$(addprefix $$(GUEST_SRC)/,$$($(1)-$(2)-changed)) | $$(BOOTSTRAP_BUILD)
	$$(say) PATCH tests/broken/$(2).patch
	$$(Q)rm -rf $$(GUEST_OUT)/$(1)-$(2)/src
	$$(Q)$$(foreach f,$$($(1)-$(2)-changed),mkdir -p $$(dir $$(GUEST_OUT)/$(1)-$(2)/src/$$f) && \
		cp $$(GUEST_SRC)/$$f $$(GUEST_OUT)/$(1)-$(2)/src/$$f &&) true
	$$(Q)patch -s -p2 -F0 -d $$(GUEST_OUT)/$(1)-$(2)/src <tests/broken/$(2).patch
$$(eval $$(call guest_compile,$(1)-$(2)/changed,$(1),$$(GUEST_OUT)/$(1)-$(2)/src))
$$(eval $$(call guest_link,$(1)-$(2),$(1)))
-include $$(addprefix $$(GUEST_OUT)/$(1)-$(2)/changed/,$$($(1)-$(2)-own:.o=.d))
endef

guest_built := $(GUEST_LAYOUTS) $(GUEST_FLAVOURED)
$(foreach l,$(guest_built),$(eval $(l)-objs := $(addprefix $(GUEST_OUT)/$(l)/,$(guest_objs_$(l)))))
$(foreach l,$(guest_built),$(eval $(call guest_compile,$(l),$(l),$(GUEST_SRC))))
-include $(foreach l,$(guest_built),$($(l)-objs:.o=.d))
$(foreach l,$(guest_built),$(eval $(call guest_link,$(l),$(l))))
$(foreach l,$(guest_built),$(eval $(call guest_modules,$(l))))
$(foreach b,$(GUEST_BREAKS),$(foreach l,$(call guest_break_layouts,$(b)),$(eval $(call guest_broken,$(l),$(b)))))

ifneq ($(LAYOUT),)
  ifeq ($(filter $(LAYOUT),$(GUEST_LAYOUTS)),)
    $(error LAYOUT=$(LAYOUT): no such layout; there are: $(GUEST_LAYOUTS))
  endif
endif
ifneq ($(BREAK),)
  ifeq ($(filter $(LAYOUT)-$(BREAK),$(GUEST_BROKEN)),)
    $(error BREAK=$(BREAK) with LAYOUT=$(LAYOUT): no such kernel; there are: $(GUEST_BROKEN))
  endif
endif

.PHONY: guest-mistakes
guest-mistakes: $(addprefix guest-,$(GUEST_BROKEN))

.PHONY: guest
ifneq ($(LAYOUT),)
guest: guest-$(LAYOUT)$(addprefix -,$(BREAK)$(FLAVOUR))
else
guest: $(addprefix guest-,$(filter-out $(GUEST_LONG),$(guest_built)) $(GUEST_TESTED))
endif

# Programs of guest/user for U-mode. The shell is part of each kernel, in
# build/guest-kernel/initramfs.cpio; the others are in /bin of
# build/guest-kernel/initrd.cpio.
USER_SRC      := guest/user
USER_OUT      := $(GUEST_OUT)/user
USER_PROGRAMS := blktrace bpf bpfcount bpffuzz bpfjit bpfobjects bpftest bpftypes bpfverdicts hello perf perfcheck forktest memtest systest threadtest fptest sigtest linktest interptest waittest sysbench
# The C library of these programs: files of its own, and files of the kernel's lib/.
USER_LIB      := $(addprefix $(USER_OUT)/lib/,crt0.o syscall.o spawn.o unistd.o malloc.o stdio.o check.o) \
	$(addprefix $(USER_OUT)/kernel-lib/,errno.o glob.o kstrtox.o string.o vsprintf.o)
USER_SH_OBJS  := $(patsubst $(USER_SRC)/%.c,$(USER_OUT)/%.o,$(wildcard $(USER_SRC)/sh/*.c))
USER_BPF_OBJS := $(patsubst $(USER_SRC)/%.c,$(USER_OUT)/%.o,$(wildcard $(USER_SRC)/bpf/*.c))
USER_BPFTEST_OBJS := $(patsubst $(USER_SRC)/%.c,$(USER_OUT)/%.o,$(wildcard $(USER_SRC)/bpftest/*.c))
USER_CFLAGS   := -I$(GUEST_SRC)/arch/riscv/include -I$(GUEST_SRC)/include -std=gnu11 -march=rv64gc -mabi=lp64d -O2 -g \
	-ffreestanding -fno-stack-protector -fno-pic -fno-asynchronous-unwind-tables \
	-fno-tree-loop-distribute-patterns -Wall -Wextra -Wshadow -Werror
USER_LDFLAGS  := -nostdlib -static -Wl,--build-id,-z,max-page-size=4096 -T $(USER_SRC)/user.lds

$(USER_OUT)/%.o: $(USER_SRC)/%.c mk/guest.mk | $(BOOTSTRAP_BUILD)
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(USER_CFLAGS) -MMD -MP -c -o $@ $<

$(USER_OUT)/kernel-lib/%.o: $(GUEST_SRC)/lib/%.c mk/guest.mk | $(BOOTSTRAP_BUILD)
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(USER_CFLAGS) -D__DISABLE_EXPORTS -MMD -MP -c -o $@ $<

$(USER_OUT)/%.o: $(USER_SRC)/%.S mk/guest.mk | $(BOOTSTRAP_BUILD)
	$(say) AS $<
	$(Q)mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(USER_CFLAGS) -MMD -MP -c -o $@ $<

$(USER_OUT)/bin/%: $(USER_OUT)/%.o $(USER_LIB) $(USER_SRC)/user.lds
	$(say) LD $@
	$(Q)mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(USER_CFLAGS) $(USER_LDFLAGS) -o $@ $(filter %.o,$^)

$(USER_OUT)/bin/sh: $(USER_SH_OBJS)
$(USER_OUT)/bin/bpf: $(USER_BPF_OBJS)
$(USER_OUT)/bin/bpftest: $(USER_BPFTEST_OBJS)
$(USER_OUT)/bin/sh $(USER_OUT)/bin/bpf $(USER_OUT)/bin/bpftest: $(USER_LIB) $(USER_SRC)/user.lds
	$(say) LD $@
	$(Q)mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(USER_CFLAGS) $(USER_LDFLAGS) -o $@ $(filter %.o,$^)

# An archive of programs in /bin, and a place to mount something. Times and owners are the same in every build.
$(GUEST_OUT)/initramfs.cpio: $(USER_OUT)/bin/sh
$(GUEST_OUT)/initrd.cpio: $(addprefix $(USER_OUT)/bin/,$(USER_PROGRAMS))
$(GUEST_OUT)/initramfs.cpio $(GUEST_OUT)/initrd.cpio:
	$(say) CPIO $@
	$(Q)rm -rf $@.root && mkdir -p $@.root/bin $@.root/mnt
	$(Q)for p in $^; do $(GUEST_OBJCOPY) -S $$p $@.root/bin/$${p##*/}; done
	$(Q)cd $@.root && find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | \
		cpio --quiet --reproducible -R 0:0 -o -H newc > "$(abspath $@)"

.PHONY: initrd
initrd: $(GUEST_OUT)/initrd.cpio
guest: initrd

.SECONDARY: $(USER_LIB) $(USER_SH_OBJS) $(USER_BPF_OBJS) $(USER_BPFTEST_OBJS) $(USER_PROGRAMS:%=$(USER_OUT)/%.o)
-include $(wildcard $(USER_OUT)/*.d $(USER_OUT)/sh/*.d $(USER_OUT)/bpf/*.d $(USER_OUT)/bpftest/*.d $(USER_OUT)/lib/*.d $(USER_OUT)/kernel-lib/*.d)
