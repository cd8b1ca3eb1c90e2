/* virtio.c - drivers, and the steps that start a device (virtio 1.2, 3.1). */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/virtio.h>

static const struct virtio_driver *const drivers[] = {&virtio_blk_driver, &virtio_console_driver};

static const struct virtio_driver *driver_of(const struct virtio_device *vdev)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(drivers); i++)
        if (drivers[i]->id == vdev->id)
            return drivers[i];
    return NULL;
}

static void add_status(struct virtio_device *vdev, u8 status)
{
    vdev->config->set_status(vdev, vdev->config->get_status(vdev) | status);
}

static u64 driver_features(const struct virtio_driver *drv)
{
    u64 features = 1ull << VIRTIO_F_VERSION_1;
    unsigned int i;

    for (i = 0; i < drv->feature_table_size; i++)
        features |= 1ull << drv->feature_table[i];
    return features;
}

/* A device with the legacy interface has no FEATURES_OK. */
static int negotiate(struct virtio_device *vdev, const struct virtio_driver *drv)
{
    int err;

    vdev->features = vdev->config->get_features(vdev) & driver_features(drv);
    err = vdev->config->finalize_features(vdev);
    if (err || !virtio_has_feature(vdev, VIRTIO_F_VERSION_1))
        return err;
    add_status(vdev, VIRTIO_CONFIG_S_FEATURES_OK);
    return vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_FEATURES_OK ? 0 : -ENODEV;
}

void virtio_device_ready(struct virtio_device *vdev)
{
    if (!(vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_DRIVER_OK))
        add_status(vdev, VIRTIO_CONFIG_S_DRIVER_OK);
}

void virtio_config_changed(struct virtio_device *vdev)
{
    const struct virtio_driver *drv = driver_of(vdev);

    if (drv && drv->config_changed)
        drv->config_changed(vdev);
}

int register_virtio_device(struct virtio_device *vdev)
{
    static unsigned int nr_devices; /* at boot only */
    const struct virtio_driver *drv = driver_of(vdev);
    int err;

    INIT_LIST_HEAD(&vdev->vqs);
    vdev->index = nr_devices++;
    vdev->config->set_status(vdev, 0);
    if (!drv)
        return 0;
    add_status(vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE);
    add_status(vdev, VIRTIO_CONFIG_S_DRIVER);
    err = negotiate(vdev, drv);
    if (!err)
        err = drv->probe(vdev);
    if (!err) {
        virtio_device_ready(vdev);
        return 0;
    }
    add_status(vdev, VIRTIO_CONFIG_S_FAILED);
    pr_err("%s: virtio%u: error %d\n", drv->name, vdev->index, err);
    return err;
}

void virtio_init(void)
{
    virtio_mmio_init();
}
