"""MANY arms in time: `simulate` is the front door, `run` what comes back, `files` where it is kept.

`members` reads what belongs to every arm, `inputs` what acts on them, `buckets` groups those that
can go in lanes together, and `work` takes their steps in a pool of threads.
"""
