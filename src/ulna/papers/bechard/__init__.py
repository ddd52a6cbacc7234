"""Paper 001 (Bechard & Ivanov): one joint in its regimes, and n joints one after the other."""
