# For gdb.test.
set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on
break softmax_kernel
run
tbreak 18
continue
tbreak <terrazzo>/standard.py:223
continue
backtrace 2
up
ptype x
delete
continue
