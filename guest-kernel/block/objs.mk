obj-y += bio.o blk-core.o blk-merge.o blk-mq.o fops.o genhd.o
