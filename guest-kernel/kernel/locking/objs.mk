obj-y += locking_test.o mutex.o spinlock.o

# It switches interrupts or preemption off, or uses types of what does.
flavoured-y += spinlock.o
