// The parts of a report that need no data: verdict, findings, tables, how to repeat it, notes.

import type { Clock } from "./clock";
import type { Finding, FindingLevel, Repeat, ReportDocument, TableSpec, Verdict } from "./document";
import { el, icon, setAttribute } from "./dom";
import { timeText } from "./transport";

const CHECK = "M5 12.5 10 17.5 19.5 7";
const CROSS = "M6.5 6.5l11 11M17.5 6.5l-11 11";
const DOT = "M12 6v7.5M12 17.5v.5";
const LETTER_I = "M12 10.5V18M12 6v.5";
const COPY = "M9 9h11v11H9zM5 15H4V4h11v1";

/** Tells the reader something that changed, by the page's live region. */
export type Say = (text: string) => void;

/** A section with a heading; null where there is nothing to put in it. */
function section(name: string, title: string, ...children: (Node | null)[]): HTMLElement {
  const id = `ulna-${name}`;
  return el(
    "section",
    { class: `ulna-section ulna-${name}`, "aria-labelledby": id },
    el("h2", { id, text: title }),
    ...children,
  );
}

/** The mark and the word that a verdict has besides its colour. */
export function verdictWord(verdict: Verdict): { state: "yes" | "no" | "none"; word: string } {
  if (verdict.ok === null) return { state: "none", word: "Result" };
  return verdict.ok ? { state: "yes", word: "Passed" } : { state: "no", word: "Failed" };
}

export function headline(header: ReportDocument): HTMLElement {
  const { state, word } = verdictWord(header.verdict);
  const path = { yes: CHECK, no: CROSS, none: LETTER_I }[state];
  return el(
    "div",
    { class: "ulna-headline", data: { ok: state } },
    el("span", { class: "ulna-verdict-mark" }, icon(path)),
    el(
      "div",
      { class: "ulna-headline-text" },
      el(
        "p",
        { class: "ulna-verdict" },
        el("span", { class: "ulna-verdict-word", text: word }),
        el("span", { class: "ulna-verdict-colon", text: ": " }),
        el("span", { class: "ulna-verdict-text" }, ...keptTogether(header.verdict.text)),
      ),
      el("h1", { class: "ulna-title", text: header.title }),
      header.subtitle ? el("p", { class: "ulna-subtitle", text: header.subtitle }) : null,
    ),
  );
}

const QUANTITY = /([−+-]?\d[\d.,]* (?:[%°]|[A-Za-zµ·/²³°]{1,5})(?![A-Za-z]))/;

/** A text whose quantities do not break between number and unit; its characters stay what they are. */
function keptTogether(text: string): (Node | string)[] {
  return text.split(QUANTITY).map((part, i) => (i % 2 ? el("span", { class: "ulna-quantity", text: part }) : part));
}

const LEVELS: Record<FindingLevel, { path: string; word: string }> = {
  good: { path: CHECK, word: "Good" },
  info: { path: LETTER_I, word: "Note" },
  warning: { path: DOT, word: "Warning" },
  problem: { path: CROSS, word: "Problem" },
};

/** Where a finding's time lies as the clock passes: it lights up within one per cent of the span. */
export function findingState(t: number, time: number, span: number): "ahead" | "now" | "past" {
  if (Math.abs(time - t) <= Math.max(0.01 * span, 1e-9)) return "now";
  return time > t ? "past" : "ahead";
}

/** The list of findings; `clock` is null where nothing moves. */
export function findingsSection(findings: readonly Finding[], clock: Clock | null): HTMLElement | null {
  if (findings.length === 0) return null;
  const timed: { item: HTMLElement; t: number }[] = [];
  const items = findings.map((finding) => {
    const item = findingItem(finding, clock);
    if (finding.t !== null && clock) timed.push({ item, t: finding.t });
    return item;
  });
  if (clock && timed.length > 0) {
    const show = (time: number): void => {
      for (const { item, t } of timed) setAttribute(item, "data-state", findingState(t, time, clock.end - clock.start));
    };
    clock.subscribe(show);
    show(clock.time);
  }
  const list = el("ul", { class: "ulna-findings-list" }, ...items);
  return section("findings", "Findings", list);
}

function findingItem(finding: Finding, clock: Clock | null): HTMLElement {
  const { path, word } = LEVELS[finding.level];
  const { t } = finding;
  const time = t === null ? null : timeText(t, clock ? clock.end - clock.start : 1);
  return el(
    "li",
    { class: "ulna-finding", data: { level: finding.level } },
    el("span", { class: "ulna-finding-mark" }, icon(path)),
    el(
      "span",
      { class: "ulna-finding-text" },
      el("span", { class: "ulna-hidden", text: `${word}: ` }),
      finding.text,
      finding.motion && !finding.text.startsWith(finding.motion) ? el("span", { class: "ulna-tag", text: finding.motion }) : null,
    ),
    time === null || t === null
      ? null
      : clock
        ? el("button", { type: "button", class: "ulna-seek", "aria-label": `Go to ${time}`, text: time, on: { click: () => clock.seek(t) } })
        : el("span", { class: "ulna-seek", text: time }),
  );
}

const NUMBER = /^[−+-]?[\d.,\u2009\u202f ]*\d(?:e[−+-]?\d+)?(?:\s?[%°×])?$/i;

/** Whether a column holds numbers, to be set to the right. */
export function isNumeric(cells: readonly string[]): boolean {
  const told = cells.filter((cell) => cell !== "" && cell !== "—" && cell !== "–");
  return told.length > 0 && told.filter((cell) => NUMBER.test(cell)).length >= told.length / 2;
}

/** Tables of more columns than this are as wide as the page. */
const WIDE = 5;
/** Cells of up to so many characters stay on one line. */
const SHORT = 28;

export function tablesSection(tables: readonly TableSpec[]): HTMLElement | null {
  if (tables.length === 0) return null;
  const cards = tables.map((spec) =>
    el(
      "figure",
      { class: spec.columns.length > WIDE ? "ulna-card ulna-table ulna-wide" : "ulna-card ulna-table" },
      el("figcaption", {}, el("h3", { text: spec.title })),
      scrollBox(spec.title, tableOf(spec)),
      spec.note ? el("p", { class: "ulna-note", text: spec.note }) : null,
    ),
  );
  return section("tables", "Arm and settings", el("div", { class: "ulna-tables-list" }, ...cards));
}

function tableOf(spec: TableSpec): HTMLElement {
  const numeric = spec.columns.map((_, i) => isNumeric(spec.rows.map((row) => row[i] ?? "")));
  const cellClass = (text: string, i: number): string =>
    [numeric[i] && i > 0 ? "ulna-number" : "", text.length <= SHORT ? "ulna-short" : ""].join(" ").trim();
  const head = spec.columns.map((name, i) => el("th", { scope: "col", text: name, class: cellClass(name, i) }));
  const rows = spec.rows.map((row) =>
    el(
      "tr",
      {},
      ...row.map((text, i) => el(i === 0 ? "th" : "td", { scope: i === 0 && "row", text, class: cellClass(text, i) })),
    ),
  );
  const labelled = spec.columns.some((name) => name !== "");
  return el("table", {}, labelled ? el("thead", {}, el("tr", {}, ...head)) : null, el("tbody", {}, ...rows));
}

/** A box that scrolls by itself, says so when there is more to see sideways, and can be focused then. */
export function scrollBox(name: string, content: HTMLElement): HTMLElement {
  const scroller = el("div", { class: "ulna-scroll", "data-scrolls": true }, content);
  const hint = el("p", { class: "ulna-scroll-hint", "aria-hidden": "true", text: "scroll sideways for more →" });
  const box = el("div", { class: "ulna-scroll-box" }, scroller, hint);
  const show = (): void => {
    const wider = scroller.scrollWidth > scroller.clientWidth + 1;
    const taller = scroller.scrollHeight > scroller.clientHeight + 1;
    box.classList.toggle("ulna-scrolls", wider);
    const end = scroller.scrollLeft + scroller.clientWidth >= scroller.scrollWidth - 1;
    box.classList.toggle("ulna-scrolled", end);
    if (wider || taller) {
      scroller.tabIndex = 0;
      setAttribute(scroller, "role", "region");
      setAttribute(scroller, "aria-label", name);
    } else {
      for (const attribute of ["tabindex", "role", "aria-label"]) scroller.removeAttribute(attribute);
    }
  };
  scroller.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(show).observe(scroller);
  return box;
}

export function repeatSection(repeat: Repeat, say: Say): HTMLElement | null {
  const blocks = [
    repeat.command ? codeBlock("Command", repeat.command, say) : null,
    repeat.script ? codeBlock("Python script", repeat.script, say) : null,
  ];
  if (!blocks.some(Boolean)) return null;
  return section("repeat", "Repeat this", ...blocks);
}

function codeBlock(title: string, text: string, say: Say): HTMLElement {
  const code = el("code", { text });
  const label = el("span", { text: "Copy" });
  const copy = async (): Promise<void> => {
    const copied = await copyText(text, code);
    label.textContent = copied ? "Copied" : "Selected: press Ctrl+C";
    say(copied ? `${title} copied` : `${title} selected: press Ctrl+C to copy`);
    setTimeout(() => (label.textContent = "Copy"), 2500);
  };
  const button = el(
    "button",
    { type: "button", class: "ulna-button ulna-text-button", "aria-label": `Copy: ${title}`, on: { click: () => void copy() } },
    icon(COPY),
    label,
  );
  return el(
    "figure",
    { class: "ulna-card ulna-code" },
    el("figcaption", {}, el("h3", { text: title }), button),
    scrollBox(title, el("pre", {}, code)),
  );
}

/** Copy by the clipboard; where that is refused (a frame, an old browser), select the text and try the old way. */
async function copyText(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  }
}

export function notesSection(notes: readonly string[]): HTMLElement | null {
  if (notes.length === 0) return null;
  return section("notes", "Notes", el("ul", {}, ...notes.map((text) => el("li", { text }))));
}

export function foot(versions: Record<string, string>): HTMLElement {
  const entries = Object.entries(versions).map(([name, version]) => el("li", { text: `${name} ${version}` }));
  return el("footer", { class: "ulna-foot" }, el("ul", { "aria-label": "Versions" }, ...entries));
}

/** Something that cannot be shown, and what to do about it. */
export function problemCard(title: string, text: string): HTMLElement {
  return el(
    "div",
    { class: "ulna-card ulna-problem", role: "alert" },
    el("span", { class: "ulna-problem-mark" }, icon(DOT)),
    el("div", {}, el("p", { class: "ulna-problem-title", text: title }), el("p", { text })),
  );
}
