obj-y += tasks.o tree.o rcu_test.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += rcu_test.o tree.o
