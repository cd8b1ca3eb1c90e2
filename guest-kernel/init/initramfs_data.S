/* initramfs_data.S - the archive that is linked into the kernel; mk/guest.mk names its file. */
    .section .init.ramfs, "aw"
    .incbin INITRAMFS
