"""`python -m ulna` is the `ulna` command."""

import sys

from ulna.cli import main

if __name__ == "__main__":
    sys.exit(main())
