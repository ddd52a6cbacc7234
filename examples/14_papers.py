# %% [markdown]
# # A paper, checked line by line
#
# Andersen Ang's notes on a two-link arm ask where the tip is and which angles bring it somewhere.
# Every formula of theirs is computed again, with a verdict and the numbers that it stands on.

# %%
from ulna import papers

paper = papers.paper("004")
rows = papers.rows("004")
print(f"{paper.authors}: {paper.title}\n")
for row in rows:
    print(f"{row.key:14} {row.verdict.value:18} {row.why}")

# %% [markdown]
# A row keeps its numbers, beside those in print if there are any. This one says how far off the tip
# is with the angles that the printed formulas give.

# %%
row = next(row for row in rows if row.key == "printed-inverse")
print(f"\n{row.title}: {row.why}")
for number in row.numbers:
    name = ", ".join(part for part in (number.of, number.label) if part)
    print(f"    {name:60} {number.ours:.3g} {number.unit}")

# %% [markdown]
# Figures are drawn when they are asked for. `ulna papers` draws all of them, for all five papers,
# into pages that open in any browser.

# %%
picture = row.pictures[0]
print(f"\n{picture.caption}")
picture.draw().savefig("14_papers.png", dpi=120)
