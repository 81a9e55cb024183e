# For gdb.test, which says where max is.
set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on
break softmax_kernel
run
tbreak 18
continue
tbreak <terrazzo>/standard.py:LINE
continue
backtrace 2
up
ptype x
delete
continue
