"""Kernels as they are launched: jit functions, their arguments and devices, the interpreter, autotuning."""
