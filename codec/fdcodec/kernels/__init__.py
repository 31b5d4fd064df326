"""Every numba kernel of fdcodec, compiled through `fdcodec.kernels.jit`."""
