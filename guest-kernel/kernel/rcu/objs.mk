obj-y += tasks.o tree.o rcu_test.o
