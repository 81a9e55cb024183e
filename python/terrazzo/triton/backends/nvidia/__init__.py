"""`triton.backends.nvidia`: what libraries import from Triton's backend of that name."""
