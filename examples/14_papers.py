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
# A row keeps its numbers, beside those in print if there are any.

# %%
row = max(rows, key=lambda row: len(row.numbers))
print(f"\n{row.title} ({row.where})")
for number in row.numbers:
    print(f"    {number.of:30} {number.label or number.name:30} {number.ours:.6g} {number.unit}")

# %% [markdown]
# Figures are drawn when they are asked for. `ulna papers` draws all of them, for all five papers,
# into pages that open in any browser.

# %%
pictures = [picture for row in rows for picture in row.pictures]
print(f"\n{len(pictures)} figures, first: {pictures[0].caption}")
pictures[0].draw().savefig("14_papers.png", dpi=120)
