"""What class models are trained from."""
