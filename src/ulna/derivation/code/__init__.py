"""The derivation as source code without dependencies."""
