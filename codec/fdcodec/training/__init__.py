"""Learning a class model from images: start states, rotations, filter, from blocks that the codec itself produced."""
