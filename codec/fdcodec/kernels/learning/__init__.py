"""The learners of the paper."""
