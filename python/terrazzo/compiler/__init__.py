"""From a function to code: what its names mean, what code is specialised for, what was compiled."""
