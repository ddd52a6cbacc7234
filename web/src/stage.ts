// The arms: one picture, or open and closed loop side by side on one clock.

import { ArmView } from "./arm-view";
import type { Clock } from "./clock";
import { isForeign } from "./compare";
import type { Loaded, Motion } from "./document";
import { el } from "./dom";

const MOST_PICTURES = 4;
/** Narrower than this [px], two arms share one picture until somebody parts them. */
const BESIDE = 640;

/** The motions with a picture of their own: those that were simulated, else the plan. */
function mainMotions(motions: readonly Motion[]): Motion[] {
  const own = motions.filter((motion) => !isForeign(motion) && motion.role !== "member");
  const simulated = own.filter((motion) => motion.role !== "plan");
  return simulated.length > 0 ? simulated : own;
}

/** Whether the motions can be shown side by side at all. */
export function canPart(motions: readonly Motion[]): boolean {
  const count = mainMotions(motions).length;
  return count > 1 && count <= MOST_PICTURES;
}

/**
 * Labels of the motions in each picture, the main one first. Together, the closed loop leads. Apart, the open loop
 * stands to the left of the closed one, and a motion of another report stands with this one's motion of the same role, or with all where there is none.
 */
export function picturesOf(motions: readonly Motion[], together: boolean): string[][] {
  const main = mainMotions(motions);
  const foreign = motions.filter(isForeign);
  const members = motions.filter((motion) => motion.role === "member" && !isForeign(motion));
  const labels = (list: readonly Motion[]): string[] => list.map((motion) => motion.label);
  if (together || !canPart(motions)) {
    const led = [...main].sort((a, b) => Number(b.role === "closed") - Number(a.role === "closed"));
    const all = labels([...led, ...foreign, ...members]);
    return all.length > 0 ? [all] : [];
  }
  const roles = new Set(main.map((motion) => motion.role));
  const openFirst = [...main].sort((a, b) => Number(b.role === "open") - Number(a.role === "open"));
  return openFirst.map((motion) => {
    const beside = foreign.filter((other) => other.ownRole === motion.role || !roles.has(other.ownRole));
    return labels([motion, ...beside, ...members]);
  });
}

export class Stage {
  readonly element: HTMLElement;
  readonly #loaded: Loaded;
  readonly #clock: Clock;
  readonly #pictures: HTMLElement;
  readonly #overlay: HTMLButtonElement;
  readonly #ghosts: HTMLButtonElement;
  #views: ArmView[] = [];
  #together: boolean;
  #showGhosts = true;

  constructor(loaded: Loaded, clock: Clock) {
    this.#loaded = loaded;
    this.#clock = clock;
    this.#together = innerWidth < BESIDE;
    this.#overlay = toggleButton("Overlay", "Draw all motions in one picture (O)", () => this.toggleOverlay());
    this.#ghosts = toggleButton("Ghosts", "Show earlier poses (G)", () => this.toggleGhosts());
    this.#pictures = el("div", { class: "ulna-pictures" });
    const parts = canPart(loaded.header.motions);
    this.element = el(
      "section",
      { class: "ulna-section ulna-stage", "aria-labelledby": "ulna-stage" },
      el(
        "div",
        { class: "ulna-section-head" },
        el("h2", { id: "ulna-stage", text: "Motion" }),
        el("div", { class: "ulna-toggles" }, parts ? this.#overlay : null, this.#ghosts),
      ),
      this.#pictures,
    );
  }

  /** Draw; the element must be in the page, for the pictures measure themselves. */
  show(): void {
    this.#drop();
    const pictures = picturesOf(this.#loaded.header.motions, this.#together);
    this.#pictures.dataset["count"] = String(pictures.length);
    for (const labels of pictures) {
      const host = el("div", { class: "ulna-card ulna-picture" });
      this.#pictures.append(host);
      this.#views.push(new ArmView(host, this.#loaded, labels, this.#clock, { wheel: "ctrl", ghosts: this.#showGhosts }));
    }
    this.#overlay.setAttribute("aria-pressed", String(this.#together));
    this.#ghosts.setAttribute("aria-pressed", String(this.#showGhosts));
  }

  toggleOverlay(): void {
    if (!canPart(this.#loaded.header.motions)) return;
    this.#together = !this.#together;
    this.show();
  }

  toggleGhosts(): void {
    this.#showGhosts = !this.#showGhosts;
    this.#ghosts.setAttribute("aria-pressed", String(this.#showGhosts));
    for (const view of this.#views) view.ghosts = this.#showGhosts;
  }

  recolour(): void {
    for (const view of this.#views) view.recolour();
  }

  destroy(): void {
    this.#drop();
    this.element.remove();
  }

  #drop(): void {
    for (const view of this.#views) view.destroy();
    this.#views = [];
    this.#pictures.replaceChildren();
  }
}

function toggleButton(text: string, title: string, click: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "ulna-button ulna-text-button ulna-toggle", title, text, on: { click } });
}
