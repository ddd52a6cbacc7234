/** What charts and planes offer beside their picture: a menu, the picture as a table, a file to take along. */

import type { Table } from "./chart-table";
import { el, icon } from "./dom";

export interface MenuItem {
  label(): string;
  run(): void;
  /** Whether it can be chosen; it can where this is left out. */
  enabled?(): boolean;
}

const DOTS = "M5 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM12 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM19 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z";

/** A button with a menu under it; arrow keys move in it, Escape and a click elsewhere close it. */
export class FigureMenu {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #list: HTMLElement;
  readonly #items: readonly MenuItem[];
  #open: AbortController | null = null;

  constructor(name: string, items: readonly MenuItem[]) {
    this.#items = items;
    this.#button = el("button", {
      class: "figure-button",
      type: "button",
      "aria-label": name,
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      title: name,
      on: { click: () => this.#toggle() },
    });
    this.#button.append(icon(DOTS, true));
    this.#list = el("div", { class: "figure-menu-list", role: "menu", "aria-label": name, hidden: true });
    this.element = el("div", { class: "figure-menu", on: { keydown: (event) => this.#key(event) } }, this.#button, this.#list);
  }

  close(): void {
    this.#open?.abort();
    this.#open = null;
    this.#list.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
  }

  /** Close, and give the focus back to the button. */
  leave(): void {
    this.close();
    this.#button.focus();
  }

  #toggle(): void {
    if (this.#open) return this.leave();
    this.#open = new AbortController();
    this.#list.replaceChildren(...this.#items.map((item) => this.#entry(item)));
    this.#list.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    const outside = (event: PointerEvent): void => {
      if (!this.element.contains(event.target as Node)) this.close();
    };
    document.addEventListener("pointerdown", outside, { capture: true, signal: this.#open.signal });
    (this.#list.firstElementChild as HTMLElement | null)?.focus();
  }

  #entry(item: MenuItem): HTMLElement {
    const enabled = item.enabled?.() ?? true;
    const choose = (): void => {
      if (!enabled) return;
      this.leave();
      item.run();
    };
    return el("button", {
      class: "figure-menu-item",
      type: "button",
      role: "menuitem",
      tabindex: "-1",
      "aria-disabled": enabled ? null : "true",
      text: item.label(),
      on: { click: choose },
    });
  }

  #key(event: KeyboardEvent): void {
    if (!this.#open) return;
    // An open menu has the keys for itself: Space chooses and does not play.
    event.stopPropagation();
    const entries = [...this.#list.children] as HTMLElement[];
    const now = entries.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 };
    const to = moves[event.key];
    if (to !== undefined) {
      event.preventDefault();
      entries.at(to % entries.length)?.focus();
    } else if (event.key === "Escape") this.leave();
    else if (event.key === "Tab") this.close();
  }
}

/** Show a table in place of a picture, or the picture again; returns the table that is shown. */
export function swapTable(picture: HTMLElement, shown: HTMLElement | null, make: () => Table): HTMLElement | null {
  shown?.remove();
  const table = shown ? null : tableElement(make());
  if (table) picture.after(table);
  picture.hidden = table !== null;
  return table;
}

/** A table in a box of its own, which scrolls where it is too large. */
export function tableElement(table: Table): HTMLElement {
  const head = el("tr", {}, ...table.columns.map((column) => el("th", { scope: "col", text: column })));
  const rows = table.rows.map((cells) => {
    const [first = "", ...others] = cells;
    return el("tr", {}, el("th", { scope: "row", text: first }), ...others.map((cell) => el("td", { text: cell })));
  });
  const caption = table.note ? `${table.caption}. ${table.note}` : table.caption;
  return el(
    "div",
    { class: "figure-table", role: "region", tabindex: "0", "aria-label": `Table: ${table.caption}` },
    el("table", {}, el("caption", { text: caption }), el("thead", {}, head), el("tbody", {}, ...rows)),
  );
}

/** Let the reader save a text as a file. */
export function download(name: string, text: string, type = "text/csv;charset=utf-8"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
