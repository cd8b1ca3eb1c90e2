/*
 * trace_printk.c - a module that writes messages to the trace, in each way that trace_printk() has:
 * constant or not, with arguments or without, and from an interrupt. The kernel's own tests of
 * ftrace look for these messages, and trace the function of the interrupt.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("messages in the trace");

/* Not static, so that the compiler does not take them for constants. */
const char *trace_printk_text = "This text is not constant: trace_puts\n";
const char *trace_printk_irq_text = "(irq) This text is not constant: trace_puts\n";
const char *trace_printk_format = "%sThis %s is not constant: trace_printk\n";

static struct irq_work work;
static struct completion done;

static void trace_printk_irq_work(struct irq_work *unused)
{
    (void)unused;
    trace_printk("(irq) This is a static string that will use trace_bputs\n");
    trace_printk(trace_printk_irq_text);
    trace_printk("(irq) This is a %s that will use trace_bprintk\n", "format");
    trace_printk(trace_printk_format, "(irq) ", "format");
    complete(&done);
}

static int __used trace_printk_init(void)
{
    trace_printk("This is a static string that will use trace_bputs\n");
    trace_printk(trace_printk_text);
    trace_printk("This is a %s that will use trace_bprintk\n", "format");
    trace_printk(trace_printk_format, "", "format");
    init_completion(&done);
    init_irq_work(&work, trace_printk_irq_work);
    irq_work_queue(&work);
    wait_for_completion(&done);
    return 0;
}
module_init(trace_printk_init);

static void __used trace_printk_exit(void) {}
module_exit(trace_printk_exit);
