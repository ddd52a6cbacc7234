// Keys that work anywhere on the page.

export type Action =
  | "play"
  | "back"
  | "forward"
  | "back10"
  | "forward10"
  | "start"
  | "end"
  | "slower"
  | "faster"
  | "reverse"
  | "loop"
  | "theme"
  | "ghosts"
  | "overlay"
  | "help";

export interface KeyPress {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** What the keys do, in the order in which the help shows them. */
export const KEYS: readonly { keys: string[]; does: string; moving: boolean }[] = [
  { keys: ["Space"], does: "play or pause", moving: true },
  { keys: ["←", "→"], does: "one frame back or forward", moving: true },
  { keys: ["Shift", "← →"], does: "ten frames back or forward", moving: true },
  { keys: ["Home", "End"], does: "to the start or the end", moving: true },
  { keys: [",", "."], does: "slower or faster", moving: true },
  { keys: ["R"], does: "reverse the direction of time", moving: true },
  { keys: ["L"], does: "loop", moving: true },
  { keys: ["O"], does: "draw all motions in one picture", moving: true },
  { keys: ["G"], does: "show or hide ghosts", moving: true },
  { keys: ["T"], does: "light or dark", moving: false },
  { keys: ["?"], does: "show these keys", moving: false },
];

const PLAIN = new Map<string, Action>(
  Object.entries({
    " ": "play",
    Home: "start",
    End: "end",
    ",": "slower",
    ".": "faster",
    "<": "slower",
    ">": "faster",
    r: "reverse",
    l: "loop",
    t: "theme",
    g: "ghosts",
    o: "overlay",
    "?": "help",
  }),
);

/** The action of a key press, or null: keys with Ctrl, Alt or Command belong to the browser. */
export function actionOf(press: KeyPress): Action | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.key === "ArrowLeft") return press.shiftKey ? "back10" : "back";
  if (press.key === "ArrowRight") return press.shiftKey ? "forward10" : "forward";
  return PLAIN.get(press.key.length === 1 ? press.key.toLowerCase() : press.key) ?? null;
}

const SCRUBBING = new Set<Action>(["back", "forward", "back10", "forward10", "start", "end"]);

/** Whether the focused element needs this key for itself: a button Space, a list or a scrolling box arrows. */
export function belongsTo(target: Element | null, action: Action): boolean {
  if (!target) return false;
  if (target.closest("textarea, select, [contenteditable], input:not([type=range]), dialog")) return true;
  if (action === "play") return target.closest("button, a[href], summary, input[type=checkbox]") !== null;
  return SCRUBBING.has(action) && target.closest("[data-scrolls]") !== null;
}

/** Listen to keys for `host`; several reports on one page hear only keys pressed inside of them, the first one all others. */
export function listenToKeys(host: HTMLElement, act: (action: Action) => void): () => void {
  const listener = (event: KeyboardEvent): void => {
    const target = event.target instanceof Element ? event.target : null;
    const action = actionOf(event);
    if (!action || event.defaultPrevented || belongsTo(target, action)) return;
    const own = target?.closest("[data-ulna]") ?? document.querySelector("[data-ulna=report]");
    if (own !== host) return;
    event.preventDefault();
    act(action);
  };
  document.addEventListener("keydown", listener);
  return () => document.removeEventListener("keydown", listener);
}
