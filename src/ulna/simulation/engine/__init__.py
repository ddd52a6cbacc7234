"""The compiled engine: kernels that advance one arm in time, and the memory they work on.

`loop` takes steps; `stepping` says how long they are; `explicit` and `implicit` are the methods;
`slope` is the derivative; `schedule` the inputs; `watch` and `contact` events and stops.
Importing any of them but `memory` and `tableaux` loads Numba.
"""
