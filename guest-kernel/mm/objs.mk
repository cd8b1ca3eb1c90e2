obj-y += page_alloc.o slab.o util.o filemap.o page-writeback.o readahead.o truncate.o mm_test.o \
	vmalloc.o memory.o mmap.o
