"""Learning a class model from images: start states, rotations and filter, each from blocks the codec itself produced."""
