# guest.mk - the guest kernel, in each layout of its call sites.
#
#   make guest                          every image without a mistake but those in GUEST_LONG
#   make guest LAYOUT=mcount            one of GUEST_LAYOUTS
#   make guest LAYOUT=pfe8 FLAVOUR=X    one with what costs cycles also when it is off: one of GUEST_FLAVOURS
#   make guest LAYOUT=mcount BREAK=X    one of GUEST_BREAKS: with the change of tests/broken/X.patch
#   make guest LAYOUT=pfe8 PLACEMENT=7  with its functions in another order, that of this seed
#
# The image is $(BUILD)/guest-kernel/LAYOUT[-X]/kernel.elf (LAYOUT-place7); in the same directory are
# kernel.map (its symbols) and Image (its bytes as in memory).  RECORDMCOUNT, Q, say
# and BOOTSTRAP_BUILD come from tools.mk.

GUEST_SRC     := guest-kernel
GUEST_OUT     := $(BUILD)/guest-kernel
GUEST_LAYOUTS := none static mcount pfe16 pfe8 atomic callops
# Those that have the objects of shared- in common, and the two groups that have those of alike- in common (below): the layouts
# that stop the machine to patch a site, and those that do not.
GUEST_SHARING := mcount pfe16 pfe8 atomic callops pfe8-latency
GUEST_STOPPED := mcount pfe16 pfe8
GUEST_ARGS    := atomic callops
# Kernels with tracers that cost cycles also when they are off; those of `make test'.
GUEST_FLAVOURS  := latency branch
GUEST_FLAVOURED := pfe8-latency pfe8-branch
# That of `make check-long' alone.
GUEST_LONG      := pfe8-branch
# Flavours that have the objects of their layout, but for those of flavoured- (below).
GUEST_ADDING    := latency
# Kernels with a mistake: tests/broken/NAME.patch, whose line "layouts: ..." says which ones they are.
GUEST_BREAKS  := $(basename $(notdir $(wildcard tests/broken/*.patch)))
# broken-NAME-layouts, broken-NAME-by, broken-NAME-first (of its rule) and broken-NAME-file (those it changes) are read by one awk: a shell for each would
# take half of make's own time.
comma := ,
guest_break_line = $(eval broken-$(word 1,$(1))-$(word 2,$(1)) += $(wordlist 3,$(words $(1)),$(1)))
$(foreach line,$(shell awk '\
	FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/\.patch$$/, "", name) } \
	/^(layouts|by): / { key = $$1; sub(/:/, "", key); line = name "," key; for (i = 2; i <= NF; i++) line = line "," $$i; print line } \
	/^rule: / { rule = $$2; explored = 0 } /^by: |^suite: / { explored = 1 } \
	/^---/ && rule { if (!explored && !(rule in first)) { first[rule]; print name ",first,yes" } rule = "" } \
	/^\+\+\+ b\// { sub(/^b\/$(GUEST_SRC)\//, "", $$2); print name ",file," $$2 }' tests/broken/*.patch),\
	$(call guest_break_line,$(subst $(comma), ,$(line))))
guest_break_layouts = $(broken-$(1)-layouts)
GUEST_BROKEN := $(foreach b,$(GUEST_BREAKS),$(addsuffix -$(b),$(call guest_break_layouts,$(b))))
# Those of `make test': the first mistake of each rule, in the first of its layouts, and what single tests need. `make
# check-mutants' has them all.
GUEST_EXPLORED := $(strip $(foreach b,$(GUEST_BREAKS),$(if $(filter explore,$(broken-$(b)-by)),$(b))))
GUEST_TESTED := $(strip $(foreach b,$(GUEST_BREAKS),$(if $(broken-$(b)-first),$(firstword $(call guest_break_layouts,$(b)))-$(b))) \
	$(filter %-a7-not-restored %-half-a-call %-hart-not-awaited %-parked-in-site %-no-local-fence %-no-remote-fence mcount-start-not-ordered,$(GUEST_BROKEN)))

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
	-fno-strict-aliasing -fno-tree-loop-distribute-patterns -ffunction-sections \
	-Wall -Wextra -Wshadow -Werror
GUEST_ASFLAGS := -D__ASSEMBLY__ -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax -g
GUEST_LDFLAGS := -nostdlib --no-relax -z max-page-size=4096 --build-id=none
GUEST_LDS     := $(GUEST_SRC)/arch/riscv/kernel/vmlinux.lds

# The configuration of a kernel is a list of symbols. Symbol X is -DCONFIG_X for its sources, and takes the objects of
# objs.mk that stand under CONFIG_X into it.
#
# Each folder of the kernel's sources has a file objs.mk, as Linux has for Kbuild:
#     obj-y += a.o                    an object of every kernel
#     obj-$(CONFIG_X) += b.o          one of the kernels that have X
#     notrace-y, notrace-$(CONFIG_X)  one that is never instrumented; a comment says why
#     shared-y, shared-$(CONFIG_X)    the same, and compiled once for the layouts of GUEST_SHARING, because neither code nor types
#                                     depend on the layout, which make guest-shared-check checks
#     alike-$(CONFIG_X)               the same, once for those of GUEST_STOPPED and once for those of GUEST_ARGS
#     flavoured-y += a.o              code or types depend on the symbols of a flavour: it does not take its layout's object, as it
#                                     does of the others, which make guest-shared-check checks, too
# It is read once, for all kernels: $(CONFIG_X) is the word CONFIG_X.
guest_config_traced  := FUNCTION_TRACER FRAME_POINTER TRACEPOINTS EVENT_TRACING FTRACE_SYSCALLS MMIOTRACE
# Users of events besides ftrace. static, which shares no objects with others, has none.
guest_config_users   := PERF_EVENTS BPF_SYSCALL BLK_DEV_IO_TRACE
guest_config_dynamic := $(guest_config_traced) $(guest_config_users) DYNAMIC_FTRACE
guest_config_stopped := $(guest_config_dynamic) DYNAMIC_FTRACE_WITH_REGS FPROBE
guest_config_args    := $(guest_config_dynamic) DYNAMIC_FTRACE_WITH_ARGS

# By layout.
guest_config_none    :=
guest_config_static  := $(guest_config_traced) SITES_STATIC
guest_config_mcount  := $(guest_config_stopped) SITES_MCOUNT
guest_config_pfe16   := $(guest_config_stopped) SITES_PFE16
guest_config_pfe8    := $(guest_config_stopped) SITES_PFE8
guest_config_atomic  := $(guest_config_args) SITES_ATOMIC
guest_config_callops := $(guest_config_args) SITES_CALLOPS DYNAMIC_FTRACE_WITH_CALL_OPS

# By flavour: what a layout has, too.
guest_config_of_latency := TRACE_IRQFLAGS TRACE_PREEMPT_TOGGLE IRQSOFF_TRACER PREEMPT_TRACER
guest_config_of_branch  := PROFILE_BRANCHES

# Further flags of each layout; the flags of its instrumented files; and the options with which recordmcount checks and
# sorts the table of sites (static has none).
guest_pfe = -fpatchable-function-entry=$(1)

# Of all instrumented files: a function that other files can call is not inlined in its own one, so a trace has each call
# of it (vfs_read), by its own name.
guest_traced = $(if $(guest_pg_$(1)),$(guest_pg_$(1)) -flive-patching=inline-only-static)

guest_flags_none    :=
guest_pg_none       :=
guest_sort_none     :=

guest_flags_static  :=
guest_pg_static     := -pg
guest_sort_static   :=

guest_flags_mcount  :=
guest_pg_mcount     := -pg
guest_sort_mcount   := --sort

guest_flags_pfe16   := -DCC_USING_PATCHABLE_FUNCTION_ENTRY
guest_pg_pfe16      := $(call guest_pfe,8)
guest_sort_pfe16    := --sort --nops=16

guest_flags_pfe8    := -DCC_USING_PATCHABLE_FUNCTION_ENTRY
guest_pg_pfe8       := $(call guest_pfe,4)
guest_sort_pfe8     := --sort --nops=8

# One word is replaced by one store, so functions must be aligned.  GCC 12 does not
# align functions that it considers cold, so that guess is disabled.
guest_flags_atomic  := -DCC_USING_PATCHABLE_FUNCTION_ENTRY
guest_pg_atomic     := $(call guest_pfe,4) -falign-functions=4
guest_sort_atomic   := --sort --nops=8 --align=4

guest_flags_callops := -DCC_USING_PATCHABLE_FUNCTION_ENTRY
guest_pg_callops    := $(call guest_pfe,8$(comma)4) -falign-functions=8
guest_sort_callops  := --sort --nops=16 --align=8

# Its macro `if' declares a variable, also inside of another.
guest_flags_of_branch := -Wno-shadow

# guest_cflags_LAYOUT, of all of its files. The layout's folder has its layout.h.
define guest_cflags
guest_cflags_$(1) := $$(if $$(filter FRAME_POINTER,$$(guest_config_$(1))),-fno-omit-frame-pointer,-fomit-frame-pointer) \
	$$(addprefix -DCONFIG_,$$(guest_config_$(1))) \
	$$(if $$(guest_config_$(1)),-I$$(GUEST_SRC)/arch/riscv/ftrace/$$(firstword $$(subst -, ,$(1)))) $$(guest_flags_$(1))
endef

# guest_flavour LAYOUT,FLAVOUR - a layout of its own, LAYOUT-FLAVOUR.
define guest_flavour
guest_config_$(1)-$(2) := $$(guest_config_$(1)) $$(guest_config_of_$(2))
guest_flags_$(1)-$(2)  := $$(guest_flags_$(1)) $$(guest_flags_of_$(2))
guest_pg_$(1)-$(2)     := $$(guest_pg_$(1))
guest_sort_$(1)-$(2)   := $$(guest_sort_$(1))
endef

ifneq ($(FLAVOUR),)
  ifeq ($(and $(filter $(FLAVOUR),$(GUEST_FLAVOURS)),$(filter-out none,$(LAYOUT)),$(if $(BREAK),,x)),)
    $(error FLAVOUR=$(FLAVOUR): needs a LAYOUT that traces, and no BREAK; there are: $(GUEST_FLAVOURS))
  endif
  GUEST_FLAVOURED := $(sort $(GUEST_FLAVOURED) $(LAYOUT)-$(FLAVOUR))
endif
$(foreach k,$(GUEST_FLAVOURED),$(eval $(call guest_flavour,$(firstword $(subst -, ,$(k))),$(lastword $(subst -, ,$(k))))))
guest_built := $(GUEST_LAYOUTS) $(GUEST_FLAVOURED)
$(foreach l,$(guest_built),$(eval $(call guest_cflags,$(l))))

# Shared objects are compiled as those of `make run', and those of GUEST_ARGS as one of them.
guest_config_shared := $(guest_config_mcount)
guest_cflags_shared := $(guest_cflags_mcount)
guest_cflags_args   := $(guest_cflags_atomic)

# Collects objs.mk of each folder: guest-KIND-y and guest-KIND-CONFIG_X. A misspelt symbol is empty.
guest_symbols := $(sort $(foreach l,$(guest_built),$(guest_config_$(l))) $(foreach f,$(GUEST_FLAVOURS),$(guest_config_of_$(f))))
guest_lists   := $(foreach k,obj notrace shared alike flavoured,$(addprefix $(k)-,y $(guest_symbols:%=CONFIG_%)))
$(foreach c,$(guest_symbols),$(eval CONFIG_$(c) := CONFIG_$(c)))
guest_objs_mk := $(foreach depth,/* /*/* /*/*/* /*/*/*/*,$(wildcard $(GUEST_SRC)$(depth)/objs.mk))
define guest_folder
$(foreach v,$(guest_lists),$(v) :=
)
include $(GUEST_SRC)/$(1)/objs.mk
$$(if $$(strip $$(obj-)$$(notrace-)$$(shared-)$$(alike-)),\
	$$(error $(GUEST_SRC)/$(1)/objs.mk: no kernel has the symbol of: $$(obj-) $$(notrace-) $$(shared-) $$(alike-)))
$(foreach v,$(guest_lists),guest-$(v) := $$(guest-$(v)) $$($(v):%=$(1)/%)
)
endef
$(foreach f,$(guest_objs_mk:$(GUEST_SRC)/%/objs.mk=%),$(eval $(call guest_folder,$(f))))

guest_of_kind = $(foreach v,$(filter $(1)-%,$(guest_lists)),$(guest-$(v)))
guest_shared  := $(call guest_of_kind,shared)
guest_alike   := $(call guest_of_kind,alike)
guest_notrace := $(guest_shared) $(guest_alike) $(call guest_of_kind,notrace)
$(foreach l,$(guest_built),$(eval guest_objs_$(l) := $(foreach s,y $(guest_config_$(l):%=CONFIG_%),\
	$(foreach k,obj notrace shared alike,$(guest-$(k)-$(s))))))

# guest_shared_of, guest_args_of, guest_base_of LAYOUT - its objects that are in shared/, in args/, and in a flavour's layout.
guest_shared_of = $(if $(filter $(1),$(GUEST_SHARING)),$(guest_shared)) $(if $(filter $(1),$(GUEST_STOPPED)),$(guest_alike))
guest_args_of   = $(if $(filter $(1),$(GUEST_ARGS)),$(guest_alike))
guest_base_of   = $(if $(filter $(GUEST_ADDING:%=\%-%),$(1)),$(filter-out $(guest_shared) $(call guest_of_kind,flavoured),\
	$(guest_objs_$(firstword $(subst -, ,$(1))))))
# guest_paths LAYOUT,OBJECTS - where these objects of a layout are.
guest_paths = $(addprefix $(GUEST_OUT)/$(1)/,$(filter-out $(call guest_shared_of,$(1)) $(call guest_args_of,$(1)) $(call guest_base_of,$(1)),$(2))) \
	$(addprefix $(GUEST_OUT)/shared/,$(filter $(call guest_shared_of,$(1)),$(2))) \
	$(addprefix $(GUEST_OUT)/args/,$(filter $(call guest_args_of,$(1)),$(2))) \
	$(if $(call guest_base_of,$(1)),$(call guest_paths,$(firstword $(subst -, ,$(1))),$(filter $(call guest_base_of,$(1)),$(2))))

# Modules: one file each, in samples/.
GUEST_MODULES := trace_sample sample_user misuse event_sample trace_printk
# guest_modules_of LAYOUT - those and, where sites are patched, the one that measures what ops take, and one with callbacks.
guest_modules_of = $(GUEST_MODULES) $(if $(filter DYNAMIC_FTRACE,$(guest_config_$(1))),ftrace_ops callback_sample)

# guest_recorded LAYOUT - not empty if recordmcount makes the table of sites of each object.
guest_recorded = $(and $(filter -pg,$(guest_pg_$(1))),$(guest_sort_$(1)))

# guest_compile DIR,LAYOUT,SOURCES - the objects in DIR of the files in SOURCES. A file includes others of its
# own directory by the kernel's tree.
define guest_compile
$$(GUEST_OUT)/$(1)/%.o: $(3)/%.c mk/guest.mk $$(if $$(call guest_recorded,$(2)),$$(RECORDMCOUNT)) | $$(BOOTSTRAP_BUILD)
	$$(say) CC $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CPPFLAGS) -iquote $$(GUEST_SRC)/$$(dir $$*) $$(GUEST_CFLAGS) $$(guest_cflags_$(2)) \
		$$(if $$(filter $$(guest_notrace),$$*.o),-DDISABLE_BRANCH_PROFILING,$$(call guest_traced,$(2))) \
		$$(if $$(filter samples/%,$$*),-DMODULE -fno-function-sections) -MMD -MP -c -o $$@ $$<
	$$(if $$(call guest_recorded,$(2)),$$(if $$(filter $$(guest_notrace),$$*.o),,$$(Q)$$(RECORDMCOUNT) $$@))

$$(GUEST_OUT)/$(1)/%.o: $(3)/%.S mk/guest.mk | $$(BOOTSTRAP_BUILD)
	$$(say) AS $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CPPFLAGS) -iquote $$(GUEST_SRC)/$$(dir $$*) $$(GUEST_ASFLAGS) $$(guest_cflags_$(2)) \
		-MMD -MP -c -o $$@ $$<
endef

# The empty symbol table, of every kernel's first link.
$(GUEST_OUT)/kallsyms0.S: $(GUEST_SRC)/scripts/kallsyms.awk | $(BOOTSTRAP_BUILD)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $< /dev/null > $@

$(GUEST_OUT)/kallsyms0.o: $(GUEST_OUT)/kallsyms0.S
	$(Q)$(GUEST_CC) $(GUEST_ASFLAGS) -c -o $@ $<

# guest_link DIR,LAYOUT,SCRIPT - the kernel of the objects $(DIR-objs), by this linker script.
define guest_link
$(1)-dir  := $$(GUEST_OUT)/$(1)

# The kernel is linked twice: first with an empty symbol table and without debug information, then with the symbol table
# made from the first link.  No function may have moved between the two.
$$($(1)-dir)/kernel0.elf: $$($(1)-objs) $$(GUEST_OUT)/kallsyms0.o \
		$(3)
	$$(say) LD $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_LD) $$(GUEST_LDFLAGS) -S -T $(3) -o $$@ $$($(1)-objs) $$(GUEST_OUT)/kallsyms0.o

$$($(1)-dir)/kallsyms.S: $$($(1)-dir)/kernel0.elf $$(GUEST_SRC)/scripts/kallsyms.awk
	$$(say) KSYMS $$@
	$$(Q)$$(GUEST_NM) -n $$< | awk -f $$(GUEST_SRC)/scripts/kallsyms.awk > $$@

$$($(1)-dir)/kallsyms.o: %.o: %.S | $$(BOOTSTRAP_BUILD)
	$$(Q)$$(GUEST_CC) $$(GUEST_ASFLAGS) -c -o $$@ $$<

$$($(1)-dir)/kernel.elf: $$($(1)-dir)/kernel0.elf $$($(1)-dir)/kallsyms.o $$(if $$(guest_sort_$(2)),$$(RECORDMCOUNT))
	$$(say) LD $$@
	$$(Q)$$(GUEST_LD) $$(GUEST_LDFLAGS) -T $(3) -o $$@ $$($(1)-objs) $$($(1)-dir)/kallsyms.o
	$$(if $$(guest_sort_$(2)),$$(Q)$$(RECORDMCOUNT) $$(guest_sort_$(2)) $$@)
	$$(Q)$$(GUEST_NM) -n $$@ > $$($(1)-dir)/kernel.map
	$$(Q)awk -f $$(GUEST_SRC)/scripts/kallsyms.awk $$($(1)-dir)/kernel.map | cmp -s - $$($(1)-dir)/kallsyms.S || \
		{ echo "guest.mk: $$@: functions moved between the two links" >&2; exit 1; }

$$($(1)-dir)/Image: $$($(1)-dir)/kernel.elf
	$$(say) OBJCOPY $$@
	$$(Q)$$(GUEST_OBJCOPY) -O binary $$< $$@

# The kernel alone.
.PHONY: guest-$(1) guest-$(1)-kernel
guest-$(1)-kernel: $$($(1)-dir)/kernel.elf
guest-$(1): $$($(1)-dir)/kernel.elf $$($(1)-dir)/Image
endef

# guest_modules LAYOUT - the first contents of the root directory, and the modules.
define guest_modules
$$($(1)-dir)/init/initramfs_data.o: GUEST_ASFLAGS += -DINITRAMFS='"$$(GUEST_OUT)/initramfs.cpio"'
$$($(1)-dir)/init/initramfs_data.o: $$(GUEST_OUT)/initramfs.cpio

# A module is its object and its struct module, combined by ld -r.
$$($(1)-dir)/samples/%.mod.o: $$(GUEST_SRC)/scripts/module.mod.c | $$(BOOTSTRAP_BUILD)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CPPFLAGS) $$(GUEST_CFLAGS) $$(guest_cflags_$(1)) -DMODULE \
		-DKBUILD_MODNAME='"$$*"' -MMD -MP -c -o $$@ $$<

$$($(1)-dir)/%.ko: $$($(1)-dir)/samples/%.o $$($(1)-dir)/samples/%.mod.o
	$$(say) LD $$@
	$$(Q)$$(GUEST_LD) -r -S -o $$@ $$^

# An archive that can be appended to another: boot loaders pass both as one initrd.
$$($(1)-dir)/modules.cpio: $$(patsubst %,$$($(1)-dir)/%.ko,$$(call guest_modules_of,$(1))) | $$(BOOTSTRAP_BUILD)
	$$(say) CPIO $$@
	$$(Q)rm -rf $$($(1)-dir)/root && mkdir -p $$($(1)-dir)/root/lib/modules
	$$(Q)cp $$^ $$($(1)-dir)/root/lib/modules
	$$(Q)cd $$($(1)-dir)/root && find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | \
		cpio --quiet --reproducible -R 0:0 -o -H newc > "$$(abspath $$@)"

guest-$(1): $$($(1)-dir)/modules.cpio

.SECONDARY: $$(foreach m,$$(call guest_modules_of,$(1)),$$($(1)-dir)/samples/$$(m).o $$($(1)-dir)/samples/$$(m).mod.o)
-include $$(foreach m,$$(call guest_modules_of,$(1)),$$($(1)-dir)/samples/$$(m).d $$($(1)-dir)/samples/$$(m).mod.d)
endef

# guest_broken LAYOUT,BREAK - a kernel of which only the changed files are compiled.
define guest_broken
$(1)-$(2)-changed := $$(broken-$(2)-file)
$(1)-$(2)-own  := $$(addsuffix .o,$$(basename $$($(1)-$(2)-changed)))
$(1)-$(2)-objs := $$(addprefix $$(GUEST_OUT)/$(1)-$(2)/changed/,$$($(1)-$(2)-own)) \
	$$(call guest_paths,$(1),$$(filter-out $$($(1)-$(2)-own),$$(guest_objs_$(1))))

$$(addprefix $$(GUEST_OUT)/$(1)-$(2)/src/,$$($(1)-$(2)-changed)) &: tests/broken/$(2).patch \
		$$(addprefix $$(GUEST_SRC)/,$$($(1)-$(2)-changed)) | $$(BOOTSTRAP_BUILD)
	$$(say) PATCH tests/broken/$(2).patch
	$$(Q)rm -rf $$(GUEST_OUT)/$(1)-$(2)/src
	$$(Q)$$(foreach f,$$($(1)-$(2)-changed),mkdir -p $$(dir $$(GUEST_OUT)/$(1)-$(2)/src/$$f) && \
		cp $$(GUEST_SRC)/$$f $$(GUEST_OUT)/$(1)-$(2)/src/$$f &&) true
	$$(Q)patch -s -p2 -F0 -d $$(GUEST_OUT)/$(1)-$(2)/src <tests/broken/$(2).patch
$$(eval $$(call guest_compile,$(1)-$(2)/changed,$(1),$$(GUEST_OUT)/$(1)-$(2)/src))
$$(eval $$(call guest_link,$(1)-$(2),$(1),$$(GUEST_LDS)))
-include $$(addprefix $$(GUEST_OUT)/$(1)-$(2)/changed/,$$($(1)-$(2)-own:.o=.d))
endef

# guest_placed LAYOUT,SEED - a kernel of the same objects, with its functions elsewhere. Without debug information:
# tools/bench makes many of them, and looks at their cycles only.
define guest_placed
$(1)-place$(2)-objs := $$($(1)-objs)
$$(GUEST_OUT)/$(1)-place$(2)/vmlinux.lds: $$(GUEST_LDS) $$(GUEST_SRC)/scripts/place.py $$($(1)-objs)
	$$(say) PLACE $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CROSS)readelf -SW $$($(1)-objs) | $$(GUEST_SRC)/scripts/place.py $(2) $$(GUEST_LDS) >$$@.part && mv $$@.part $$@
$$(GUEST_OUT)/$(1)-place$(2)/kernel.elf: GUEST_LDFLAGS += -S
$$(eval $$(call guest_link,$(1)-place$(2),$(1),$$(GUEST_OUT)/$(1)-place$(2)/vmlinux.lds))
endef

$(foreach l,$(guest_built),$(eval $(l)-objs := $(call guest_paths,$(l),$(guest_objs_$(l)))))
$(foreach l,$(guest_built) shared args,$(eval $(call guest_compile,$(l),$(l),$(GUEST_SRC))))
-include $(sort $(foreach l,$(guest_built),$($(l)-objs:.o=.d)))
$(foreach l,$(guest_built),$(eval $(call guest_link,$(l),$(l),$(GUEST_LDS))))
$(foreach l,$(guest_built),$(eval $(call guest_modules,$(l))))
$(foreach b,$(GUEST_BREAKS),$(foreach l,$(call guest_break_layouts,$(b)),$(eval $(call guest_broken,$(l),$(b)))))

$(foreach l,$(guest_built),$(foreach p,$(PLACEMENT),$(eval $(call guest_placed,$(l),$(p)))))

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

# Each object that a layout has of another folder as the object that it would have alone: all but the lines, which name the
# layout's folder. guest_compared LAYOUT,FOLDER,OBJECTS
define guest_compared
$$(patsubst %.o,$$(GUEST_OUT)/not-shared/$(1)/%.same,$(3)): $$(GUEST_OUT)/not-shared/$(1)/%.same: \
		$$(GUEST_OUT)/not-shared/$(1)/%.o $$(GUEST_OUT)/$(2)/%.o | $$(BOOTSTRAP_BUILD)
	$$(Q)for o in $$^; do $$(CROSS)objdump -srt $$$$o | awk '/^(Contents of section|RELOCATION RECORDS FOR) / { on = !/debug_line/ } \
		!/file format/ && (on || /^SYMBOL/)' >$$$$o.text || exit 1; done; \
	cmp $$(^:=.text) || { echo "$$*.o is not the same in layout $(1) as in $(2): mk/guest.mk has the kinds of objs.mk" >&2; exit 1; }
	$$(Q)touch $$@
.SECONDARY: $$(patsubst %,$$(GUEST_OUT)/not-shared/$(1)/%,$(3))
guest-shared-check: $$(patsubst %.o,$$(GUEST_OUT)/not-shared/$(1)/%.same,$(3))
endef
.PHONY: guest-shared-check
$(foreach l,$(guest_built),$(eval $(call guest_compile,not-shared/$(l),$(l),$(GUEST_SRC)))\
	$(foreach d,$(filter-out $(l),shared args $(guest_built)),\
		$(eval guest-of-$(l)-$(d) := $(patsubst $(GUEST_OUT)/$(d)/%,%,$(filter $(GUEST_OUT)/$(d)/%,$($(l)-objs))))\
		$(if $(guest-of-$(l)-$(d)),$(eval $(call guest_compared,$(l),$(d),$(guest-of-$(l)-$(d)))))))

.PHONY: guest-mistakes guest-tested
guest-mistakes: $(GUEST_BROKEN:%=guest-%-kernel)
guest-tested: $(GUEST_TESTED:%=guest-%-kernel)

.PHONY: guest
ifneq ($(LAYOUT),)
guest: $(if $(PLACEMENT),$(PLACEMENT:%=guest-$(LAYOUT)-place%),guest-$(LAYOUT)$(addprefix -,$(BREAK)$(FLAVOUR)))
else
guest: $(addprefix guest-,$(filter-out $(GUEST_LONG),$(guest_built)))
endif

# Programs of guest/user for U-mode. The shell is part of each kernel, in
# build/guest-kernel/initramfs.cpio; the others are in /bin of
# build/guest-kernel/initrd.cpio.
USER_SRC      := guest/user
USER_OUT      := $(GUEST_OUT)/user
USER_PROGRAMS := bpf bpfcount bpfjit bpftest hello perf perfcheck forktest memtest systest threadtest ttytest fptest vectest sigtest linktest mark interptest waittest sysbench ujit
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

# An archive of programs in /bin, a place to mount something, and /tmp. Times and owners are the same in every build.
$(GUEST_OUT)/initramfs.cpio: $(USER_OUT)/bin/sh
$(GUEST_OUT)/initrd.cpio: $(addprefix $(USER_OUT)/bin/,$(USER_PROGRAMS))
$(GUEST_OUT)/initramfs.cpio $(GUEST_OUT)/initrd.cpio:
	$(say) CPIO $@
	$(Q)rm -rf $@.root && mkdir -p $@.root/bin $@.root/mnt $@.root/tmp
	$(Q)for p in $^; do $(GUEST_OBJCOPY) -S $$p $@.root/bin/$${p##*/}; done
	$(Q)cd $@.root && find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | \
		cpio --quiet --reproducible -R 0:0 -o -H newc > "$(abspath $@)"

.PHONY: initrd
initrd: $(GUEST_OUT)/initrd.cpio
guest: initrd

.SECONDARY: $(USER_LIB) $(USER_SH_OBJS) $(USER_BPF_OBJS) $(USER_BPFTEST_OBJS) $(USER_PROGRAMS:%=$(USER_OUT)/%.o)
-include $(wildcard $(USER_OUT)/*.d $(USER_OUT)/sh/*.d $(USER_OUT)/bpf/*.d $(USER_OUT)/bpftest/*.d $(USER_OUT)/lib/*.d $(USER_OUT)/kernel-lib/*.d)
