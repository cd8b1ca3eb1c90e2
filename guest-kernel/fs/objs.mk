obj-y += dcache.o file.o file_table.o filesystems.o fs_struct.o fs_test.o inode.o libfs.o       mount_test.o \
	namei.o namespace.o open.o pipe.o proc_namespace.o read_write.o readdir.o seq_file.o       stat.o super.o \
	buffer.o drop_caches.o fs-writeback.o mpage.o sync.o binfmt_elf.o binfmt_script.o        eventfd.o exec.o \
	select.o splice.o syscalls.o
