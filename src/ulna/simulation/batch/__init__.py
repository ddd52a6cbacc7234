"""MANY arms in time: `simulate_batch` is the front door, `batch_run` what comes back.

`spec` reads the arms and where they start, `inputs` what acts on them, `buckets` groups those that
can go in lanes together, and `blocks` takes their steps. `batch_simulation` keeps them in
memory between steps, `batch_files` on disk.
"""
