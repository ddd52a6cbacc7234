"""Paper 000."""
