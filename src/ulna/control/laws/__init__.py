"""The controllers' laws, compiled, one a file; `law_signature` says what kind of function they are.

They have a folder of their own, because compiled code is kept until anything beside it changes.
"""

from ulna.control.laws.law_signature import LAW, call_law

__all__ = ["LAW", "call_law"]
