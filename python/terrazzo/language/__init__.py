"""The kernel language as objects of the host: types, values, functions that the compiler calls.

Kernels import `terrazzo.triton.language`, which has all names; this room imports no other of the package.
"""
