/*
 * virtio_console.c - ports of a virtio console device (virtio 1.2, 5.3), through which programs
 * exchange bytes with the host: /dev/vportDpN, its name in /sys/class/virtio-ports/vportDpN/name.
 *
 * The device announces its ports by messages, which a work handles. A port that is a console (hvc)
 * can be seen in sysfs, and cannot be opened.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/virtio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

enum { VIRTIO_CONSOLE_F_MULTIPORT = 1, VIRTIO_CONSOLE_BAD_ID = -1 };

enum {
    VIRTIO_CONSOLE_DEVICE_READY = 0,
    VIRTIO_CONSOLE_DEVICE_ADD = 1,
    VIRTIO_CONSOLE_DEVICE_REMOVE = 2,
    VIRTIO_CONSOLE_PORT_READY = 3,
    VIRTIO_CONSOLE_CONSOLE_PORT = 4,
    VIRTIO_CONSOLE_RESIZE = 5,
    VIRTIO_CONSOLE_PORT_OPEN = 6,
    VIRTIO_CONSOLE_PORT_NAME = 7,
};

enum { VPORT_MAJOR = 244, MAX_PORTS = 31, NAME_LEN = 24, SEND_MAX = 32768 };
/* Buffers that the device fills: messages, and data of a port. */
enum { CONTROL_BUFS = 16, CONTROL_BUF_SIZE = 256, IN_BUFS = 8, IN_BUF_SIZE = 4096 };

struct virtio_console_config {
    u16 cols, rows;
    u32 max_nr_ports;
} __packed;

struct virtio_console_control {
    u32 id;
    u16 event, value;
};

struct port_buffer {
    unsigned int len, offset; /* bytes in it, and those of them that were read */
    unsigned int size;
    char buf[];
};

struct ports_device {
    struct virtio_device *vdev;
    struct work_struct control_work;
    struct mutex control_mutex; /* of the one that handles messages */
    struct virtqueue *c_ivq, *c_ovq;
    spinlock_t c_ivq_lock, c_ovq_lock;
    unsigned int nr_ports;
    struct virtqueue **vqs; /* in order of their numbers */
    struct port *ports[MAX_PORTS];
};

struct port {
    struct ports_device *portdev;
    u32 id;
    struct virtqueue *in_vq, *out_vq;
    spinlock_t inbuf_lock, outvq_lock; /* taken with interrupts off */
    struct port_buffer *inbuf;         /* the one that is being read; under inbuf_lock */
    unsigned int outstanding;          /* buffers that the device has; under outvq_lock */
    wait_queue_head_t waitqueue;       /* for data, or for room */
    bool guest_connected;              /* is open; under control_mutex */
    bool host_connected, is_console, is_unplugged;
    char *name; /* given by the host; NULL: none yet */
    struct dentry *dir;
    char dev_name[NAME_LEN];
};

static dev_t port_dev(const struct port *port)
{
    return MKDEV(VPORT_MAJOR, port->portdev->vdev->index * (MAX_PORTS + 1) + port->id);
}

/* ---- messages to the device ---- */

static void send_control_msg(struct ports_device *portdev, u32 id, u16 event, u16 value)
{
    struct virtio_console_control *msg;
    struct scatterlist sg;
    unsigned long flags;
    unsigned int len;

    if (!portdev->c_ovq)
        return;
    msg = kmalloc(sizeof(*msg));
    if (!msg)
        return;
    *msg = (struct virtio_console_control){id, event, value};
    sg_set_buf(&sg, msg, sizeof(*msg));
    spin_lock_irqsave(&portdev->c_ovq_lock, flags);
    if (!virtqueue_add(portdev->c_ovq, &sg, 1, 0, msg)) {
        virtqueue_kick(portdev->c_ovq);
        while (!virtqueue_get_buf(portdev->c_ovq, &len))
            cpu_relax();
    }
    spin_unlock_irqrestore(&portdev->c_ovq_lock, flags);
    kfree(msg);
}

/* ---- data ---- */

static struct port_buffer *alloc_buf(unsigned int size)
{
    struct port_buffer *buf = kmalloc(sizeof(*buf) + size);

    if (buf)
        *buf = (struct port_buffer){.size = size};
    return buf;
}

/* Gives the device a buffer to fill. The caller locks. */
static int add_inbuf(struct virtqueue *vq, struct port_buffer *buf)
{
    struct scatterlist sg;
    int err;

    buf->offset = buf->len = 0;
    sg_set_buf(&sg, buf->buf, buf->size);
    err = virtqueue_add(vq, &sg, 0, 1, buf);
    virtqueue_kick(vq);
    return err;
}

/* Adds up to nr empty buffers: at least one, or -ENOMEM. */
static int fill_queue(struct virtqueue *vq, spinlock_t *lock, unsigned int nr, unsigned int size)
{
    unsigned int i;

    for (i = 0; i < nr && vq->num_free; i++) {
        struct port_buffer *buf = alloc_buf(size);
        unsigned long flags;

        if (!buf)
            return i ? 0 : -ENOMEM;
        spin_lock_irqsave(lock, flags);
        add_inbuf(vq, buf);
        spin_unlock_irqrestore(lock, flags);
    }
    return 0;
}

/* Frees what the device has taken. Returns how many buffers it still has. */
static unsigned int reclaim_consumed_buffers(struct port *port)
{
    struct port_buffer *buf;
    unsigned int left, len;
    unsigned long flags;

    do {
        spin_lock_irqsave(&port->outvq_lock, flags);
        buf = virtqueue_get_buf(port->out_vq, &len);
        port->outstanding -= buf != NULL;
        left = port->outstanding;
        spin_unlock_irqrestore(&port->outvq_lock, flags);
        kfree(buf);
    } while (buf);
    return left;
}

static bool has_input(struct port *port)
{
    unsigned long flags;
    unsigned int len;
    bool has;

    spin_lock_irqsave(&port->inbuf_lock, flags);
    if (!port->inbuf) {
        port->inbuf = virtqueue_get_buf(port->in_vq, &len);
        if (port->inbuf)
            port->inbuf->len = min(len, port->inbuf->size);
    }
    has = port->inbuf != NULL;
    spin_unlock_irqrestore(&port->inbuf_lock, flags);
    return has;
}

/* Copies what is left of the current buffer, and returns it to the device when it is empty. */
static size_t take_input(struct port *port, char *to, size_t count)
{
    struct port_buffer *buf;
    unsigned long flags;
    size_t n = 0;

    spin_lock_irqsave(&port->inbuf_lock, flags);
    buf = port->inbuf;
    if (buf) {
        n = min(count, (size_t)(buf->len - buf->offset));
        memcpy(to, buf->buf + buf->offset, n);
        buf->offset += n;
        if (buf->offset == buf->len) {
            port->inbuf = NULL;
            add_inbuf(port->in_vq, buf);
        }
    }
    spin_unlock_irqrestore(&port->inbuf_lock, flags);
    return n;
}

static bool read_can_end(struct port *port)
{
    return has_input(port) || !READ_ONCE(port->host_connected) || READ_ONCE(port->is_unplugged);
}

/* Without the other end there is no input: end of file, as in Linux. */
static ssize_t port_fops_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct port *port = file->private_data;
    int err;

    (void)pos;
    if (!read_can_end(port)) {
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(port->waitqueue, read_can_end(port));
        if (err)
            return err;
    }
    if (port->is_unplugged)
        return -ENODEV;
    return take_input(port, buf, count);
}

/* Whether a write can go on: there is room in the queue, and the host has its end open. */
static bool write_can_begin(struct port *port)
{
    reclaim_consumed_buffers(port);
    return READ_ONCE(port->is_unplugged) ||
           (READ_ONCE(port->host_connected) && READ_ONCE(port->out_vq->num_free));
}

static int send_buf(struct port *port, struct port_buffer *buf)
{
    struct scatterlist sg;
    unsigned long flags;
    int err;

    sg_set_buf(&sg, buf->buf, buf->len);
    spin_lock_irqsave(&port->outvq_lock, flags);
    err = virtqueue_add(port->out_vq, &sg, 1, 0, buf);
    port->outstanding += !err;
    if (!err)
        virtqueue_kick(port->out_vq);
    spin_unlock_irqrestore(&port->outvq_lock, flags);
    return err;
}

/*
 * Returns when the device has taken the bytes, so that they are out when a program ends; a signal
 * ends the waiting, and the bytes still go. Without waiting: when they are in the queue.
 */
static ssize_t port_fops_write(struct file *file, const char *from, size_t count, loff_t *pos)
{
    struct port *port = file->private_data;
    struct port_buffer *buf;
    int err;

    (void)pos;
    if (!count)
        return 0;
    if (!write_can_begin(port)) {
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(port->waitqueue, write_can_begin(port));
        if (err)
            return err;
    }
    if (port->is_unplugged)
        return -ENODEV;
    count = min(count, (size_t)SEND_MAX);
    buf = alloc_buf(count);
    if (!buf)
        return -ENOMEM;
    buf->len = count;
    memcpy(buf->buf, from, count);
    err = send_buf(port, buf);
    if (err) {
        kfree(buf);
        return -EAGAIN;
    }
    if (!(file->f_flags & O_NONBLOCK))
        (void)wait_event_interruptible(port->waitqueue, !reclaim_consumed_buffers(port) ||
                                                            READ_ONCE(port->is_unplugged));
    return count;
}

/* A port is open once. */
static int port_fops_open(struct inode *inode, struct file *file)
{
    struct port *port = inode->i_private;
    int err = 0;

    mutex_lock(&port->portdev->control_mutex);
    if (port->is_console || port->is_unplugged)
        err = -ENXIO;
    else if (port->guest_connected)
        err = -EBUSY;
    else
        port->guest_connected = true;
    mutex_unlock(&port->portdev->control_mutex);
    if (err)
        return err;
    file->private_data = port;
    reclaim_consumed_buffers(port);
    send_control_msg(port->portdev, port->id, VIRTIO_CONSOLE_PORT_OPEN, 1);
    return 0;
}

static int port_fops_release(struct inode *inode, struct file *file)
{
    struct port *port = inode->i_private;
    char rest[64];

    (void)file;
    send_control_msg(port->portdev, port->id, VIRTIO_CONSOLE_PORT_OPEN, 0);
    while (has_input(port)) /* what was not read is dropped */
        take_input(port, rest, sizeof(rest));
    reclaim_consumed_buffers(port);
    mutex_lock(&port->portdev->control_mutex);
    port->guest_connected = false;
    mutex_unlock(&port->portdev->control_mutex);
    return 0;
}

static const struct file_operations port_fops = {
    .open = port_fops_open,
    .read = port_fops_read,
    .write = port_fops_write,
    .release = port_fops_release,
};

/* In the interrupt, of all queues of ports. */
static void port_intr(struct virtqueue *vq)
{
    struct ports_device *portdev = vq->vdev->priv;
    unsigned int id = vq->index < 2 ? 0 : vq->index / 2 - 1;
    struct port *port = id < portdev->nr_ports ? READ_ONCE(portdev->ports[id]) : NULL;

    if (port)
        wake_up_interruptible_all(&port->waitqueue);
}

/* ---- messages of the device ---- */

static int name_show(struct seq_file *m, void *data)
{
    const struct port *port = data;

    seq_printf(m, "%s\n", port->name);
    return 0;
}

static int dev_show(struct seq_file *m, void *data)
{
    dev_t devt = port_dev(data);

    seq_printf(m, "%u:%u\n", MAJOR(devt), MINOR(devt));
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(name);
DEFINE_SHOW_ATTRIBUTE(dev);

static struct dentry *class_dir(void)
{
    static struct dentry *dir; /* created by the first port, at boot */

    if (!dir)
        dir = sysfs_create_dir(sysfs_create_dir(NULL, "class"), "virtio-ports");
    return dir;
}

static int add_port(struct ports_device *portdev, u32 id)
{
    unsigned int first = id ? 2 * id + 2 : 0; /* the control queues are between ports 0 and 1 */
    struct port *port = kzalloc(sizeof(*port));
    int err;

    if (!port)
        return -ENOMEM;
    port->portdev = portdev;
    port->id = id;
    port->in_vq = portdev->vqs[first];
    port->out_vq = portdev->vqs[first + 1];
    init_waitqueue_head(&port->waitqueue);
    port->is_console = !portdev->c_ovq;
    port->host_connected = port->is_console;
    snprintf(port->dev_name, sizeof(port->dev_name), "vport%up%u", portdev->vdev->index, id);
    err = fill_queue(port->in_vq, &port->inbuf_lock, IN_BUFS, IN_BUF_SIZE);
    if (!err)
        err = device_create_data(port->dev_name, port_dev(port), port, &port_fops);
    if (err) {
        send_control_msg(portdev, id, VIRTIO_CONSOLE_PORT_READY, 0);
        pr_err("virtio_console: %s: error %d\n", port->dev_name, err);
        return err; /* its buffers are the device's now: the port stays */
    }
    port->dir = sysfs_create_dir(class_dir(), port->dev_name);
    simple_create_file(port->dir, "dev", S_IRUGO, port, &dev_fops);
    WRITE_ONCE(portdev->ports[id], port);
    send_control_msg(portdev, id, VIRTIO_CONSOLE_PORT_READY, 1);
    return 0;
}

static void set_name(struct port *port, const char *name, unsigned int len)
{
    if (port->name)
        return;
    port->name = kzalloc(len + 1);
    if (!port->name)
        return;
    memcpy(port->name, name, len);
    simple_create_file(port->dir, "name", S_IRUGO, port, &name_fops);
}

static void handle_control_message(struct ports_device *portdev, const struct port_buffer *buf)
{
    const struct virtio_console_control *msg = (const void *)buf->buf;
    struct port *port;

    if (buf->len < sizeof(*msg) || msg->id >= portdev->nr_ports)
        return;
    port = portdev->ports[msg->id];
    if (msg->event == VIRTIO_CONSOLE_DEVICE_ADD && !port)
        add_port(portdev, msg->id);
    if (!port)
        return;
    switch (msg->event) {
    case VIRTIO_CONSOLE_DEVICE_ADD:
        send_control_msg(portdev, msg->id, VIRTIO_CONSOLE_PORT_READY, 1);
        break;
    case VIRTIO_CONSOLE_DEVICE_REMOVE: WRITE_ONCE(port->is_unplugged, true); break;
    case VIRTIO_CONSOLE_CONSOLE_PORT: port->is_console = msg->value; break;
    case VIRTIO_CONSOLE_PORT_OPEN: WRITE_ONCE(port->host_connected, msg->value != 0); break;
    case VIRTIO_CONSOLE_PORT_NAME:
        set_name(port, buf->buf + sizeof(*msg), buf->len - sizeof(*msg));
        break;
    }
    wake_up_interruptible_all(&port->waitqueue);
}

static struct port_buffer *next_message(struct ports_device *portdev)
{
    struct port_buffer *buf;
    unsigned long flags;
    unsigned int len;

    spin_lock_irqsave(&portdev->c_ivq_lock, flags);
    buf = virtqueue_get_buf(portdev->c_ivq, &len);
    if (buf)
        buf->len = min(len, buf->size);
    spin_unlock_irqrestore(&portdev->c_ivq_lock, flags);
    return buf;
}

static void control_work_handler(struct work_struct *work)
{
    struct ports_device *portdev = container_of(work, struct ports_device, control_work);
    struct port_buffer *buf;
    unsigned long flags;

    mutex_lock(&portdev->control_mutex);
    while ((buf = next_message(portdev))) {
        handle_control_message(portdev, buf);
        spin_lock_irqsave(&portdev->c_ivq_lock, flags);
        add_inbuf(portdev->c_ivq, buf);
        spin_unlock_irqrestore(&portdev->c_ivq_lock, flags);
    }
    mutex_unlock(&portdev->control_mutex);
}

static void control_intr(struct virtqueue *vq)
{
    struct ports_device *portdev = vq->vdev->priv;

    schedule_work(&portdev->control_work);
}

/* ---- set-up ---- */

/* With several ports, the queues 2 and 3 carry messages. */
static int find_queues(struct ports_device *portdev, bool multiport)
{
    static const char *const kinds[] = {"input", "output", "control-i", "control-o"};
    unsigned int nr = multiport ? 2 * portdev->nr_ports + 2 : 2, i;
    vq_callback_t *callbacks = kzalloc(nr * sizeof(callbacks[0]));
    const char **names = kzalloc(nr * sizeof(names[0]));
    int err = -ENOMEM;

    portdev->vqs = kzalloc(nr * sizeof(portdev->vqs[0]));
    if (portdev->vqs && callbacks && names) {
        for (i = 0; i < nr; i++) {
            callbacks[i] = i == 2 ? control_intr : i == 3 ? NULL : port_intr;
            names[i] = kinds[i == 2 || i == 3 ? i : i % 2];
        }
        err = portdev->vdev->config->find_vqs(portdev->vdev, nr, portdev->vqs, callbacks, names);
    }
    kfree(callbacks);
    kfree(names);
    return err;
}

/* The device answers each message before it takes it as done, so all ports are there at the end. */
static int start_ports(struct ports_device *portdev)
{
    int err;

    portdev->c_ivq = portdev->vqs[2];
    portdev->c_ovq = portdev->vqs[3];
    err = fill_queue(portdev->c_ivq, &portdev->c_ivq_lock, CONTROL_BUFS, CONTROL_BUF_SIZE);
    if (err)
        return err;
    send_control_msg(portdev, VIRTIO_CONSOLE_BAD_ID, VIRTIO_CONSOLE_DEVICE_READY, 1);
    control_work_handler(&portdev->control_work);
    return 0;
}

/* Called at boot only: on failure the machine goes on without the ports, and their memory is lost.
 */
static int virtcons_probe(struct virtio_device *vdev)
{
    struct ports_device *portdev = kzalloc(sizeof(*portdev));
    bool multiport = virtio_has_feature(vdev, VIRTIO_CONSOLE_F_MULTIPORT);
    int err;

    if (!portdev)
        return -ENOMEM;
    portdev->vdev = vdev;
    vdev->priv = portdev;
    mutex_init(&portdev->control_mutex);
    INIT_WORK(&portdev->control_work, control_work_handler);
    portdev->nr_ports = 1;
    if (multiport)
        virtio_cread(vdev, struct virtio_console_config, max_nr_ports, &portdev->nr_ports);
    portdev->nr_ports = min(portdev->nr_ports, (unsigned int)MAX_PORTS);
    err = portdev->nr_ports ? find_queues(portdev, multiport) : -EINVAL;
    if (err)
        return err;
    virtio_device_ready(vdev);
    return multiport ? start_ports(portdev) : add_port(portdev, 0);
}

static const unsigned int features[] = {VIRTIO_CONSOLE_F_MULTIPORT};

const struct virtio_driver virtio_console_driver = {
    .name = "virtio_console",
    .id = VIRTIO_ID_CONSOLE,
    .feature_table = features,
    .feature_table_size = ARRAY_SIZE(features),
    .probe = virtcons_probe,
};
