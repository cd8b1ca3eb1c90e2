obj-y += handle.o manage.o proc.o
