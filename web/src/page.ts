// The report: verdict first, then what moves, what was measured, what was found, and how to repeat it.

import { Chart } from "./chart";
import { Clock, drive } from "./clock";
import { merge } from "./compare";
import type { Compared } from "./compare";
import { ComparePanel } from "./compare-panel";
import type { Loaded, ReportDocument } from "./document";
import { el, icon } from "./dom";
import { KEYS, listenToKeys } from "./keyboard";
import type { Action } from "./keyboard";
import { Plane } from "./plane";
import { findingsSection, foot, headline, notesSection, problemCard, repeatSection, tablesSection } from "./sections";
import type { Say } from "./sections";
import { Stage } from "./stage";
import { SweepView } from "./sweep-view";
import { onTheme, toggleTheme } from "./theme";
import { keysButton, nextSpeed, reverse, themeButton, timeText, toggleLoop, Transport } from "./transport";

/** What is drawn from the data, and rebuilt when another report is compared. */
interface Drawn {
  clock: Clock | null;
  stage: Stage | null;
  destroy(): void;
}

/** Show a report in `host`; returns what removes it. */
export function mountReport(host: HTMLElement, base: Loaded): () => void {
  clear(host);
  const live = el("div", { class: "ulna-hidden", role: "status" });
  const say: Say = (text) => {
    live.textContent = text;
  };
  const moving = isMoving(base);
  const keys = keysDialog(moving);
  const body = el("div", { class: "ulna-body" });
  let drawn: Drawn | null = null;
  const draw = (compared: readonly Compared[]): void => {
    const before = drawn?.clock ?? null;
    drawn?.destroy();
    drawn = drawBody(body, merge(base, compared), { say, showKeys: () => keys.showModal(), before });
  };
  // What is compared are motions and charts, which a sweep has none of.
  const panel = base.header.sweep ? null : new ComparePanel(base, draw);
  const tools = el("div", { class: "ulna-tools" }, panel?.button);
  const stops: (() => void)[] = [];
  if (!moving) {
    const theme = themeButton();
    stops.push(theme.stop);
    tools.append(theme.element, keysButton(() => keys.showModal()));
  }
  const header = el("header", { class: "ulna-header" }, headline(base.header), tools);
  host.append(...[header, panel?.element, body, live, keys].filter((part) => part !== undefined));
  host.addEventListener("click", letGo);
  draw([]);
  stops.push(listenToKeys(host, (action) => act(action, drawn, () => keys.showModal())));
  return () => {
    for (const stop of stops) stop();
    panel?.destroy();
    drawn?.destroy();
    host.removeEventListener("click", letGo);
    clear(host);
  };
}

/** A button that a pointer pressed gives its focus back: Space then plays instead of pressing it again. */
function letGo(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (event.detail > 0 && button?.matches(".ulna-button, .ulna-seek")) button.blur();
}

/** Show what can be shown of a report whose data cannot be read; `header` is null where not even that can. */
export function mountBroken(host: HTMLElement, header: ReportDocument | null, problem: string): void {
  clear(host);
  if (!header) {
    host.append(el("main", { class: "ulna-main" }, problemCard("This report cannot be shown", problem)));
    return;
  }
  const card = problemCard("The motion and the charts of this report cannot be shown", problem);
  const main = el("main", { class: "ulna-main" }, card);
  appendAll(main, [
    findingsSection(header.findings, null),
    tablesSection(header.tables),
    repeatSection(header.repeat, () => {}),
    notesSection(header.notes),
  ]);
  host.append(el("header", { class: "ulna-header" }, headline(header)), main, foot(header.versions));
}

// The data stay where they are, so that a saved page is a report again.
function clear(host: HTMLElement): void {
  for (const child of [...host.children]) if (child.tagName !== "SCRIPT") child.remove();
}

function appendAll(parent: HTMLElement, children: (Node | null)[]): void {
  parent.append(...children.filter((child): child is Node => child !== null));
}

interface Surroundings {
  say: Say;
  showKeys: () => void;
  /** The clock of the drawing before, whose time and speed go on. */
  before: Clock | null;
}

/** Poses without a course in time, as the ends of a batch, have nothing to be played. */
function isMoving({ header }: Loaded): boolean {
  return header.motions.length > 0 && header.span[1] > header.span[0];
}

function drawBody(body: HTMLElement, loaded: Loaded, { say, showKeys, before }: Surroundings): Drawn {
  const { header } = loaded;
  const clock = header.motions.length > 0 ? new Clock(...header.span) : null;
  const stage = clock ? new Stage(loaded, clock) : null;
  const transport = clock && isMoving(loaded) ? new Transport(clock, header.findings, showKeys) : null;
  const findings = findingsSection(header.findings, clock);
  const sweep = header.sweep ? new SweepView(header.sweep, loaded, say) : null;
  const graphs = el("div", { class: "ulna-graphs" });
  const top = stage
    ? el("div", { class: "ulna-top" }, el("div", { class: "ulna-side" }, stage.element, findings), graphs)
    : el("div", { class: "ulna-still" }, graphs);
  const main = el("main", { class: "ulna-main" }, sweep ? sweep.element : top);
  appendAll(main, [
    stage ? null : findings,
    tablesSection(header.tables),
    repeatSection(header.repeat, say),
    notesSection(header.notes),
  ]);
  body.replaceChildren(main, foot(header.versions));
  if (transport) body.append(transport.element);
  if (clock && before) resume(clock, before);
  stage?.show();
  sweep?.show();
  const graphed = drawGraphs(graphs, loaded, clock);
  if (graphs.childElementCount === 0) top.classList.add("ulna-alone");
  if (!stage && graphs.childElementCount === 0) top.replaceChildren(emptyCard());
  const stops = clock ? [drive(clock), announce(clock, say)] : [];
  stops.push(onTheme(() => [stage, sweep, ...graphed].forEach((part) => part?.recolour())));
  return {
    clock,
    stage,
    destroy: () => {
      for (const stop of stops) stop();
      for (const part of [stage, transport, sweep, ...graphed]) part?.destroy();
    },
  };
}

function resume(clock: Clock, before: Clock): void {
  clock.seek(before.time);
  clock.speed = before.speed;
  clock.loop = before.loop;
  if (before.playing) clock.play();
}

/** Planes, then charts, each a card of its own; what has no values has no chart. */
function drawGraphs(host: HTMLElement, loaded: Loaded, clock: Clock | null): (Chart | Plane)[] {
  const graphed: (Chart | Plane)[] = [];
  const place = (): HTMLElement => {
    const element = el("div", { class: "ulna-graph" });
    host.append(element);
    return element;
  };
  for (const spec of loaded.header.planes) graphed.push(new Plane(place(), spec, loaded));
  if (!clock) return graphed;
  for (const spec of loaded.header.charts) {
    if (spec.series.length > 0) graphed.push(new Chart(place(), spec, [loaded], clock));
  }
  return graphed;
}

function emptyCard(): HTMLElement {
  return el(
    "div",
    { class: "ulna-card ulna-empty" },
    el("p", { class: "ulna-empty-title", text: "Nothing moves in this report" }),
    el("p", { text: "It holds no motion and no chart; what was found is below." }),
  );
}

/** Tell the time to screen readers when it stands still again, never while it runs. */
function announce(clock: Clock, say: Say): () => void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let told = clock.time;
  const stop = clock.subscribe((time) => {
    clearTimeout(waiting);
    if (clock.playing || time === told) return;
    waiting = setTimeout(() => {
      told = time;
      say(`At ${timeText(time, clock.end - clock.start)}`);
    }, 400);
  });
  return () => {
    clearTimeout(waiting);
    stop();
  };
}

function act(action: Action, drawn: Drawn | null, showKeys: () => void): void {
  if (action === "theme") return toggleTheme();
  if (action === "help") return showKeys();
  const { clock, stage } = drawn ?? { clock: null, stage: null };
  if (!clock || !stage) return;
  const acts: Record<Exclude<Action, "theme" | "help">, () => void> = {
    play: () => clock.toggle(),
    back: () => clock.step(-1),
    forward: () => clock.step(1),
    back10: () => clock.step(-10),
    forward10: () => clock.step(10),
    start: () => clock.seek(clock.start),
    end: () => clock.seek(clock.end),
    slower: () => (clock.speed = nextSpeed(clock.speed, -1)),
    faster: () => (clock.speed = nextSpeed(clock.speed, 1)),
    reverse: () => reverse(clock),
    loop: () => toggleLoop(clock),
    ghosts: () => stage.toggleGhosts(),
    overlay: () => stage.toggleOverlay(),
  };
  acts[action]();
}

function keysDialog(moving: boolean): HTMLDialogElement {
  const rows = KEYS.filter((entry) => moving || !entry.moving).map(({ keys, does }) =>
    el("div", { class: "ulna-key-row" }, el("dt", {}, ...keys.map((key) => el("kbd", { text: key }))), el("dd", { text: does })),
  );
  const dialog = el(
    "dialog",
    { class: "ulna-keys", "aria-labelledby": "ulna-keys" },
    el(
      "div",
      { class: "ulna-keys-head" },
      el("h2", { id: "ulna-keys", text: "Keys" }),
      el("button", { type: "button", class: "ulna-button ulna-close", "aria-label": "Close", on: { click: () => dialog.close() } }, icon("M7 7l10 10M17 7 7 17")),
    ),
    el("dl", {}, ...rows),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
