/**
 * The widget of notebooks, as a module for anywidget: an arm that is dragged in the cell, or the player of a run.
 *
 * Python and the page share traits. Of an arm: `q`, which either side sets. Of a run: `_time`, which the player sets, `_seek`,
 * which Python sets, and `playing`, which either sets. What came from Python is shown and not sent back.
 */

import { Clock } from "./clock";
import { type Arm, decode, type Loaded } from "./document";
import { el } from "./dom";
import { mountPlayer } from "./player";
import { DraggedArm } from "./widget/dragged-arm";
import { followTheme } from "./widget/notebook-theme";
import { EASY_PACE, type Model, onChange, Outbox } from "./widget/outbox";

type End = () => void;

function render({ model, el: cell }: { model: Model; el: HTMLElement }): End {
  const root = el("div", { class: "ulna-widget" });
  root.style.setProperty("--height", `${Number(model.get("height"))}px`);
  cell.append(root);
  const recolouring = new Set<End>();
  const ends: End[] = [
    followTheme((theme) => {
      root.dataset["theme"] = theme;
      for (const recolour of recolouring) recolour();
    }),
  ];
  let ended = false;
  const keep = (end: End): void => {
    if (ended) end();
    else ends.push(end);
  };
  const broken = (error: unknown): void => {
    root.append(el("p", { class: "widget-broken", text: `This widget cannot be shown: ${error instanceof Error ? error.message : String(error)}` }));
    console.error(error);
  };
  const header = String(model.get("_document"));
  if (model.get("_kind") === "run") {
    decode(header, String(model.get("_data"))).then((loaded) => ended || keep(showRun(root, model, loaded))).catch(broken);
  } else {
    const view = showArm(root, model, JSON.parse(header) as Arm);
    recolouring.add(() => view.recolour());
    keep(view.end);
  }
  root.dataset["mounted"] = "";
  return () => {
    ended = true;
    for (const end of ends) end();
    root.remove();
  };
}

function showArm(root: HTMLElement, model: Model, arm: Arm): { recolour(): void; end: End } {
  const outbox = new Outbox(model);
  const angles = (): number[] => [...(model.get("q") as number[])];
  const view = new DraggedArm(root, arm, angles(), {
    moved: (q) => outbox.put("q", [...q]),
    released: () => outbox.flush(),
  });
  const follow = onChange(model, "q", () => {
    const q = angles();
    if (q.some((angle, i) => angle !== view.q[i])) view.show(q);
  });
  const end = (): void => {
    follow();
    outbox.flush();
    view.destroy();
  };
  return { recolour: () => view.recolour(), end };
}

function showRun(root: HTMLElement, model: Model, loaded: Loaded): End {
  const outbox = new Outbox(model);
  const clock = new Clock(...loaded.header.span);
  // While it shows what came from Python, or from another view, it has nothing to tell.
  let listening = false;
  let told = false;
  const shown = (show: () => void) => (): void => {
    listening = true;
    show();
    listening = false;
  };
  const seek = shown(() => {
    clock.pause();
    clock.seek((model.get("_seek") as [number, number])[1]);
    // An older time may have been on its way to Python meanwhile.
    if (told) outbox.put("_time", clock.time);
  });
  const play = shown(() => (model.get("playing") ? clock.play() : clock.pause()));
  const tell = (): void => {
    if (listening) return;
    told = true;
    outbox.put("_time", clock.time, clock.playing ? EASY_PACE : 0);
    if (clock.playing !== model.get("playing")) outbox.put("playing", clock.playing);
  };
  shown(() => clock.seek(Number(model.get("_time"))))();
  const ends = [
    mountPlayer(root, loaded, clock),
    onChange(model, "_seek", seek),
    onChange(model, "playing", play),
    clock.subscribe(tell),
    () => outbox.flush(),
  ];
  play();
  return () => {
    for (const end of ends) end();
  };
}

export default { render };
