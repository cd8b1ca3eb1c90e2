/* setup.c - reads the device tree and sets up the machine at boot; power off and reset. */
#include <asm/fixmap.h>
#include <asm/pgtable.h>
#include <asm/sbi.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <asm/switch_to.h>
#include <asm/vector.h>
#include <linux/console.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/of_fdt.h>
#include <linux/reboot.h>
#include <linux/timekeeping.h>

extern const char _end[];

/* Written here once at boot, read by setup_smp(). */
struct fdt_info machine_info;

static unsigned long first_free_frame(void)
{
    return ALIGN(__pa(_end), (unsigned long)PAGE_SIZE);
}

void setup_arch(unsigned long boot_hartid)
{
    sbi_init();
    fpu_init();
    enable_user_counters();
    if (early_init_dt_scan(early_dtb(), &machine_info))
        panic("no device tree");
    riscv_v_setup_vsize();
    paging_init(machine_info.memory_start, machine_info.memory_end);
    if (machine_info.uart_phys)
        ns16550_init(machine_info.uart_phys);
    if (machine_info.finisher_phys)
        sifive_test_init(machine_info.finisher_phys);
    time_init(machine_info.timebase);
    parse_args(boot_command_line);
    setup_smp(boot_hartid);
    mem_reserve(machine_info.initrd_start, machine_info.initrd_end);
    mem_init(first_free_frame(), machine_info.memory_end);
}

void machine_power_off(void)
{
    sbi_shutdown(SBI_RESET_NO_REASON);
}

void machine_restart(void)
{
    sbi_restart();
}

void machine_fail(void)
{
    sbi_shutdown(SBI_RESET_SYSTEM_FAILURE);
}
