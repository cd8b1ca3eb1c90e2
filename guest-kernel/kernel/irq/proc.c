/* proc.c - /proc/interrupts, and the start of interrupt handling. */
#include <asm/smp.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static void show_actions(struct seq_file *m, const struct irqaction *action)
{
    const char *before = "  ";

    for (; action; action = action->next) {
        seq_printf(m, "%s%s", before, action->name);
        before = ", ";
    }
    seq_puts(m, "\n");
}

static void show_irq(struct seq_file *m, unsigned int irq)
{
    struct irq_desc *desc = &irq_desc[irq];
    unsigned long flags;
    unsigned int cpu;

    spin_lock_irqsave(&desc->lock, flags);
    if (desc->action) {
        seq_printf(m, "%3u: ", irq);
        for_each_online_cpu(cpu)
            seq_printf(m, "%10u ", desc->kstat_irqs[cpu]);
        seq_printf(m, "%s %3u Level   ", irq_chip->name, irq);
        show_actions(m, desc->action);
    }
    spin_unlock_irqrestore(&desc->lock, flags);
}

static int interrupts_show(struct seq_file *m, void *unused)
{
    unsigned int cpu, irq;

    (void)unused;
    seq_puts(m, "     ");
    for_each_online_cpu(cpu)
        seq_printf(m, "      CPU%-2u", cpu);
    seq_puts(m, "\n");
    for (irq = 1; irq < NR_IRQS; irq++)
        show_irq(m, irq);
    return 0;
}

void irq_init(void)
{
    plic_init();
    proc_create_single("interrupts", S_IRUGO, NULL, interrupts_show);
}
