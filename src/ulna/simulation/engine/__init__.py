"""The compiled engine: kernels that advance arms in time, and the memory they work on.

`loop` takes the steps of one arm, `block` those of many in lanes; `stepping` controls the step
size; `explicit` and `implicit` are the methods; `state_derivative` computes ẋ = f(t, x); `schedule`
holds the inputs; `watch` and `crossings` handle events and stops; `memory_layout` declares the
entries of the memory. Importing any of them but `memory` and `tableaux` loads kernels.
"""
