"""What stands around kernels: the command tz, Terrazzo in Triton's place, threads for torch.compile."""
