obj-y += locking_test.o mutex.o spinlock.o
