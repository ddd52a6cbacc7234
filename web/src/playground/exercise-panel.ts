/** The card of an exercise: the question, a field for every quantity asked, what is to be said of the answer, the steps. */

import { el, setAttribute } from "../dom";
import { type AskedQuantity, type ExerciseContent, judge, type Verdict } from "./exercise";
import { unitLabel } from "./units";

export type { ExerciseContent } from "./exercise";

/** Make the card; all of its state is in its fields. */
export function exerciseCard(content: ExerciseContent): HTMLElement {
  const fields = content.asked.map((asked) => new Field(asked, `play-exercise-${asked.id}`));
  const progress = el("output", { class: "play-exercise-progress" });
  const tell = (right: number): void => {
    const all = right === content.asked.length;
    progress.textContent = `${right} of ${content.asked.length} right${all ? ": well done!" : ""}`;
    setAttribute(progress, "data-state", all ? "right" : "open");
  };
  const check = (event: Event): void => {
    event.preventDefault();
    const { verdicts, right } = judge(content, fields.map((field) => field.text));
    fields.forEach((field, i) => field.show(verdicts[i] ?? OPEN));
    tell(right);
    fields.find((_, i) => verdicts[i]?.state !== "right")?.focus();
  };
  tell(0);
  const title = el("h2", { id: "play-exercise-title", text: content.title });
  return el(
    "section",
    { class: "ulna-card play-exercise", "aria-labelledby": "play-exercise-title" },
    el("header", {}, el("p", { class: "play-exercise-kind", text: `Exercise ${content.kind}, seed ${content.seed}` }), title),
    ...content.paragraphs.map((text) => el("p", { class: text.includes(" = ") && text.length < 80 ? "play-exercise-formula" : "", text })),
    givenList(content.given),
    el(
      "form",
      { class: "play-exercise-form", novalidate: true, autocomplete: "off", on: { submit: check } },
      ...fields.map((field) => field.element),
      el("div", { class: "play-exercise-check" }, el("button", { type: "submit", class: "ulna-button ulna-text-button", text: "Check" }), progress),
    ),
    el(
      "details",
      { class: "play-exercise-steps" },
      el("summary", { text: "Show the worked steps" }),
      el("pre", { text: content.steps, tabindex: "0", "aria-label": "Worked steps" }),
    ),
    el("p", { class: "play-exercise-note", text: content.note }),
  );
}

function givenList(given: ExerciseContent["given"]): HTMLElement {
  const rows = given.map(([label, text]) => el("div", {}, el("dt", { text: label }), el("dd", { text })));
  return el("dl", { class: "play-exercise-given", "aria-label": "Given" }, ...rows);
}

const OPEN: Verdict = { state: "open", text: "" };

class Field {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #said: HTMLOutputElement;

  constructor(asked: AskedQuantity, id: string) {
    this.#said = el("output", { id: `${id}-said`, for: id });
    this.#input = el("input", {
      id,
      type: "text",
      spellcheck: "false",
      autocapitalize: "off",
      "aria-describedby": `${id}-unit ${id}-said`,
      on: { input: () => this.show(OPEN) },
    });
    const unit = unitLabel(asked.unit);
    this.element = el(
      "div",
      { class: "play-exercise-field" },
      el("label", { for: id, text: asked.label }),
      el("span", { class: "play-exercise-entry" }, this.#input, el("span", { id: `${id}-unit`, text: unit })),
      this.#said,
    );
  }

  get text(): string {
    return this.#input.value;
  }

  focus(): void {
    this.#input.focus();
  }

  show(verdict: Verdict): void {
    this.element.dataset.state = verdict.state;
    this.#input.setAttribute("aria-invalid", String(verdict.state === "wrong" || verdict.state === "unread"));
    this.#said.textContent = verdict.text;
  }
}
