"""The look of the pages: light or dark as the reader's system is, narrow screens and print."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --ink: #1f262f; --quiet: #58616d; --hairline: #dfe3e8;
  --accent: #e06412; --link: #a8480a; --code: #f1f3f5;
  --same: #00704f; --same-back: #e3f4ee;
  --corrected: #7d5200; --corrected-back: #fbf0d9;
  --wrong: #a80f3c; --wrong-back: #fbe6ec;
  --incomplete: #1f5796; --incomplete-back: #e5eefa;
  --aside: #4d5662; --aside-back: #eceff2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14181d; --card: #1b2027; --ink: #e6e9ed; --quiet: #a3abb6; --hairline: #2f363f;
    --accent: #ff8a3d; --link: #ff9d5c; --code: #242a32;
    --same: #5fd8ad; --same-back: #12302a;
    --corrected: #f0c26a; --corrected-back: #33290f;
    --wrong: #ff8fa9; --wrong-back: #3b1822;
    --incomplete: #8ec3ff; --incomplete-back: #15283f;
    --aside: #c0c7d0; --aside-back: #2a313a;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--back); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
main, .top > nav, body > footer { max-width: 58rem; margin: 0 auto; padding: 0 20px; }
main { padding-top: 8px; padding-bottom: 48px; }
.top {
  position: sticky; top: 0; z-index: 1; background: var(--back);
  border-bottom: 1px solid var(--hairline);
}
.top > nav {
  display: flex; gap: 4px 16px; align-items: baseline; overflow-x: auto; white-space: nowrap;
  padding-top: 10px; padding-bottom: 10px; font-size: 15px;
}
.top a { color: var(--quiet); text-decoration: none; padding: 2px 0; }
.top a:hover { color: var(--ink); }
.top a[aria-current] { color: var(--ink); box-shadow: 0 2px 0 var(--accent); }
.top .name { font-weight: 700; color: var(--ink); margin-right: 4px; }
a { color: var(--link); text-underline-offset: 2px; text-decoration-thickness: 1px; }
a:focus-visible, .scroll:focus-visible, pre:focus-visible, video:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px;
}
h1 { font-size: clamp(1.6rem, 5vw, 2.25rem); line-height: 1.2; margin: 28px 0 8px; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 44px 0 12px; }
h3, .row h2 { font-size: 1.1rem; line-height: 1.35; margin: 0; }
p { margin: 8px 0; max-width: 44rem; }
.lead { font-size: 1.1rem; }
.quiet, .where, .authors { color: var(--quiet); }
.authors { margin: 0 0 16px; }
.where, .label { font-size: 14px; margin: 0 0 2px; }
.label { color: var(--quiet); margin-top: 16px; }
code, pre { font-family: ui-monospace, "JetBrains Mono", "Cascadia Mono", Menlo, Consolas,
  "DejaVu Sans Mono", monospace; font-size: 0.9em; }
code { background: var(--code); border-radius: 4px; padding: 1px 4px; }
pre { background: var(--code); border-radius: 8px; padding: 12px 16px; overflow-x: auto;
  margin: 0; line-height: 1.5; }
pre code { padding: 0; background: none; }
.card {
  background: var(--card); border: 1px solid var(--hairline); border-radius: 12px;
  padding: 20px 24px; margin: 16px 0;
}
.card > :last-child { margin-bottom: 0; }
.row > header { display: flex; gap: 6px 16px; align-items: flex-start;
  justify-content: space-between; flex-wrap: wrap; }
.row > header > div { flex: 1 1 20rem; }
.row h2 a, .row h3 a { color: inherit; text-decoration: none; }
.row h2 a:hover, .row h3 a:hover { text-decoration: underline; }
.row:target, .row:has(> .anchor:target) { border-color: var(--accent);
  box-shadow: 0 0 0 1px var(--accent); }
.why { font-weight: 500; }
.verdict {
  display: inline-block; white-space: nowrap; font-size: 14px; font-weight: 600;
  line-height: 1.4; border-radius: 999px; padding: 2px 12px;
}
.same { color: var(--same); background: var(--same-back); }
.corrected { color: var(--corrected); background: var(--corrected-back); }
.wrong { color: var(--wrong); background: var(--wrong-back); }
.incomplete { color: var(--incomplete); background: var(--incomplete-back); }
.remark, .not-yet { color: var(--aside); background: var(--aside-back); }
dl { margin: 12px 0; }
dt { font-size: 14px; color: var(--quiet); }
dd { margin: 0; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 12px 24px; }
.sides > div { border-left: 2px solid var(--hairline); padding-left: 12px; min-width: 0; }
.sides > .ours { border-left-color: var(--accent); }
.notes { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; }
.notes dd { max-width: 42rem; }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-size: 15px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 16px 5px 0; text-align: left; vertical-align: baseline; }
th { font-weight: 500; }
thead th { color: var(--quiet); font-size: 14px; }
thead tr:last-child > *, thead [rowspan] { border-bottom: 1px solid var(--hairline); }
tbody + tbody tr:first-child > *, tbody tr + tr > * { border-top: 1px solid var(--hairline); }
tbody th.inner { padding-left: 16px; }
.number, thead th:not(:first-child), thead td + th { text-align: right; white-space: nowrap; }
thead tr + tr th { text-align: right; }
thead th[colspan] { text-align: right; }
tbody th { min-width: 9rem; }
.unit { color: var(--quiet); font-weight: 400; white-space: nowrap; }
figure { margin: 16px 0 8px; }
.sheet { background: #ffffff; border: 1px solid var(--hairline); border-radius: 8px;
  overflow: hidden; display: block; padding: 8px; }
.sheet img, .sheet video { display: block; max-width: 100%; height: auto; margin: 0 auto;
  background: #ffffff; }
.sheet video { width: 560px; }
figcaption { font-size: 15px; color: var(--quiet); margin-top: 8px; max-width: 44rem; }
.tally { display: flex; flex-wrap: wrap; gap: 8px; padding: 0; margin: 12px 0; list-style: none; }
.contents { columns: 2; column-gap: 32px; padding: 0; margin: 12px 0; list-style: none; }
.contents li { display: flex; gap: 10px; padding: 3px 0; break-inside: avoid; line-height: 1.4; }
.contents .mark { flex: none; width: 1.5em; height: 1.5em; border-radius: 999px; font-weight: 700;
  text-align: center; line-height: 1.5; font-size: 14px; }
.contents a { color: inherit; text-decoration-color: var(--hairline); }
.anchor { scroll-margin-top: 4.5rem; }
.places { padding: 0; margin: 12px 0; list-style: none; }
.places li { display: flex; gap: 4px 16px; flex-wrap: wrap; padding: 5px 0;
  border-top: 1px solid var(--hairline); }
.places li:target { box-shadow: 0 0 0 1px var(--accent); }
.places .name { flex: 0 0 6.5rem; font-weight: 500; }
.places .about { flex: 1 1 16rem; }
.places .treated { flex: 1 1 20rem; }
.thumbs { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px; margin-top: 16px; }
.thumbs a { display: flex; align-items: center; background: #ffffff;
  border: 1px solid var(--hairline); border-radius: 8px; overflow: hidden; padding: 6px;
  aspect-ratio: 4 / 3; }
.thumbs img { width: 100%; height: 100%; object-fit: contain; }
.meanings dt { margin-top: 12px; }
.noted h3 { font-size: 1rem; }
body > footer { color: var(--quiet); font-size: 14px; padding-bottom: 32px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
@media (max-width: 40rem) {
  main, .top > nav, body > footer { padding-left: 14px; padding-right: 14px; }
  .card { padding: 16px 14px; }
  .sides, .notes { grid-template-columns: 1fr; }
  .notes dd { margin-bottom: 8px; }
  .top .name { display: none; }
  .contents { columns: 1; }
  .contents li { padding: 6px 0; }
  .row > header > div { flex-basis: 100%; }
  .thumbs { grid-template-columns: 1fr 1fr; }
  .thumbs a:nth-child(3) { display: none; }
  .sheet { padding: 2px; }
  .sheet img { width: 100%; }
}
@media print {
  :root { color-scheme: light; --back: #ffffff; --card: #ffffff; --ink: #000000;
    --quiet: #444444; --hairline: #bbbbbb; --link: #000000; --code: #f4f4f4;
    --same: #00543b; --same-back: #ffffff; --corrected: #5c3c00; --corrected-back: #ffffff;
    --wrong: #8a0c31; --wrong-back: #ffffff; --incomplete: #173f6d;
    --incomplete-back: #ffffff; --aside: #333333; --aside-back: #ffffff; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .top { display: none; }
  .card { border: 0; border-top: 1px solid var(--hairline); border-radius: 0; padding: 12px 0;
    margin: 8px 0; }
  .verdict { border: 1px solid currentColor; }
  .row > header, figure, .scroll, .sides, pre { break-inside: avoid; }
  h2, h3, .row > header, .label { break-after: avoid; }
  .scroll { overflow: visible; }
  pre { white-space: pre-wrap; }
  .sheet { border: 0; padding: 0; }
  .sheet img { max-height: 11cm; object-fit: contain; }
  .sheet video { width: 9cm; }
}
"""
