"""Ways to put a derivation on paper."""
