/*
 * irq-sifive-plic.c - the platform-level interrupt controller.
 *
 * All interrupts go to the boot hart, number 0: Linux, too, leaves them where they are until
 * somebody sets an affinity. An interrupt that was claimed is not signalled again before it is
 * completed.
 */
#include <asm/csr.h>
#include <asm/io.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/of_fdt.h>
#include <linux/printk.h>
#include <linux/smp.h>

enum {
    PRIORITY_BASE = 0,
    ENABLE_BASE = 0x2000,
    ENABLE_STRIDE = 0x80, /* of a context */
    CONTEXT_BASE = 0x200000,
    CONTEXT_STRIDE = 0x1000,
    CONTEXT_THRESHOLD = 0,
    CONTEXT_CLAIM = 4,
};

/* Set once at boot: the registers in use, of the controller's 64 MiB. */
static void *priorities, *enables, *context;
static DEFINE_SPINLOCK(enable_lock);

static void plic_toggle(unsigned int irq, bool on)
{
    void *reg = enables + irq / 32 * 4;
    unsigned long flags;
    u32 bits;

    spin_lock_irqsave(&enable_lock, flags);
    bits = readl(reg) & ~(1u << irq % 32);
    writel(bits | (on ? 1u << irq % 32 : 0), reg);
    spin_unlock_irqrestore(&enable_lock, flags);
}

static void plic_irq_enable(unsigned int irq)
{
    writel(1, priorities + irq * 4);
    plic_toggle(irq, true);
}

static void plic_irq_disable(unsigned int irq)
{
    plic_toggle(irq, false);
}

static const struct irq_chip plic_chip = {
    .name = "SiFive PLIC",
    .irq_enable = plic_irq_enable,
    .irq_disable = plic_irq_disable,
};

void plic_handle_irq(void)
{
    void *claim = context + CONTEXT_CLAIM;
    u32 irq;

    while ((irq = readl(claim))) {
        if (irq < NR_IRQS)
            generic_handle_irq(irq);
        writel(irq, claim);
    }
}

/* The context of the boot hart's S-mode, or -1. */
static int boot_context(void)
{
    unsigned int i;

    for (i = 0; i < machine_info.nr_harts; i++)
        if (machine_info.hartids[i] == cpuid_to_hartid_map[0])
            return machine_info.plic_context[i];
    return -1;
}

static void enable_external(void *unused)
{
    (void)unused;
    if (smp_processor_id() == 0)
        csr_set(sie, IE_EIE);
}

void plic_init(void)
{
    unsigned long phys = machine_info.plic_phys;
    int nr = boot_context();

    if (!phys || nr < 0)
        return;
    priorities = ioremap(phys + PRIORITY_BASE, NR_IRQS * 4);
    enables = ioremap(phys + ENABLE_BASE + nr * ENABLE_STRIDE, ENABLE_STRIDE);
    context = ioremap(phys + CONTEXT_BASE + nr * CONTEXT_STRIDE, CONTEXT_STRIDE);
    if (!priorities || !enables || !context) {
        pr_err("plic: cannot map the registers\n");
        return;
    }
    writel(0, context + CONTEXT_THRESHOLD);
    irq_chip = &plic_chip;
    on_each_cpu(enable_external, NULL);
}
