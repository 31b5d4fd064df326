"""Learning transforms: the paper's methods, better optimizers, rotations for the codec."""
