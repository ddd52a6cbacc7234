// Where other reports come in: dropped anywhere on the page or chosen by a button, listed, removed again.

import { nameFor, readReport, Refusal, withoutPlace } from "./compare";
import type { Compared } from "./compare";
import type { Loaded } from "./document";
import { el, icon } from "./dom";

const ADD = "M4 5h7v14H4zM13 9h7v10h-7M16.5 3v4M14.5 5h4";
const CLOSE = "M7 7l10 10M17 7 7 17";

export class ComparePanel {
  /** The button, for the header. */
  readonly button: HTMLElement;
  /** What is compared and what was refused, for below the header. */
  readonly element: HTMLElement;
  readonly #base: Loaded;
  readonly #changed: (compared: readonly Compared[]) => void;
  readonly #list = el("ul", { class: "ulna-compared", "aria-label": "Compared reports" });
  readonly #refusals = el("div", { class: "ulna-refusals", role: "alert" });
  readonly #drop = el("div", { class: "ulna-drop", "aria-hidden": "true" }, el("p", { text: "Drop reports here to compare them with this one" }));
  readonly #stopped = new AbortController();
  #compared: Compared[] = [];

  constructor(base: Loaded, changed: (compared: readonly Compared[]) => void) {
    this.#base = base;
    this.#changed = changed;
    const input = el("input", { type: "file", class: "ulna-hidden", accept: ".html,.htm,text/html", multiple: true, tabindex: -1, "aria-label": "Reports to compare" });
    input.addEventListener("change", () => {
      void this.add([...(input.files ?? [])]);
      input.value = "";
    });
    const choose = el(
      "button",
      { type: "button", class: "ulna-button ulna-text-button", title: "Compare with other reports: choose them, or drop them anywhere on this page", on: { click: () => input.click() } },
      icon(ADD),
      el("span", { text: "Compare…" }),
    );
    this.button = el("div", { class: "ulna-compare" }, choose, input);
    this.element = el("div", { class: "ulna-compare-panel" }, this.#list, this.#refusals, this.#drop);
    this.#listen();
    this.#show();
  }

  /** Add files; those that cannot be compared are told in a sentence each. */
  async add(files: readonly File[]): Promise<void> {
    this.#refusals.replaceChildren();
    const before = this.#compared.length;
    for (const file of files) {
      try {
        const loaded = await readReport(file);
        const taken = [this.#base.header.title, ...this.#compared.map((other) => other.name)];
        this.#compared.push({ name: nameFor(loaded.header.title, file.name, taken), loaded });
      } catch (error) {
        this.#refuse(error instanceof Refusal ? error.message : `“${file.name}” cannot be read: ${String(error)}`);
      }
    }
    if (this.#compared.length > before) this.#change();
  }

  destroy(): void {
    this.#stopped.abort();
    this.button.remove();
    this.element.remove();
  }

  #change(): void {
    this.#show();
    this.#changed(this.#compared);
  }

  #show(): void {
    this.#list.hidden = this.#compared.length === 0;
    this.#list.replaceChildren(...this.#compared.map((other) => this.#item(other)));
  }

  #item(other: Compared): HTMLElement {
    const missing = withoutPlace(this.#base.header, other.loaded.header);
    const remove = (): void => {
      this.#compared = this.#compared.filter((one) => one !== other);
      this.#change();
      this.button.querySelector("button")?.focus();
    };
    return el(
      "li",
      { class: "ulna-chip" },
      el("span", { class: "ulna-chip-line", "aria-hidden": "true" }),
      el("span", { class: "ulna-chip-name", text: other.name }),
      el("span", { class: "ulna-chip-verdict", text: other.loaded.header.verdict.text }),
      missing ? el("span", { class: "ulna-chip-note", text: missing }) : null,
      closeButton(`Remove ${other.name}`, remove),
    );
  }

  #refuse(text: string): void {
    const line = el("p", { class: "ulna-refusal" }, el("span", { text }));
    line.append(closeButton("Dismiss", () => line.remove()));
    this.#refusals.append(line);
  }

  #listen(): void {
    const { signal } = this.#stopped;
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
      this.#drop.classList.add("ulna-dropping");
    };
    document.addEventListener("dragenter", over, { signal });
    document.addEventListener("dragover", over, { signal });
    document.addEventListener(
      "dragleave",
      (event) => {
        if (event.relatedTarget === null) this.#drop.classList.remove("ulna-dropping");
      },
      { signal },
    );
    document.addEventListener(
      "drop",
      (event) => {
        this.#drop.classList.remove("ulna-dropping");
        if (!carriesFiles(event)) return;
        event.preventDefault();
        void this.add([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
  }
}

function closeButton(name: string, click: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "ulna-button ulna-close", "aria-label": name, title: name, on: { click } }, icon(CLOSE));
}
