// Light or dark: the system's preference until somebody chooses, then the choice, remembered.

export type Theme = "light" | "dark";

const KEY = "ulna-theme";
const listeners = new Set<(theme: Theme) => void>();

/** The theme to begin with: what was chosen before, else what the system prefers. */
export function initialTheme(stored: string | null, prefersDark: boolean): Theme {
  if (stored === "light" || stored === "dark") return stored;
  return prefersDark ? "dark" : "light";
}

export function currentTheme(): Theme {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}

/** Call `listener` after every change of theme; returns how to stop. */
export function onTheme(listener: (theme: Theme) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showTheme(theme: Theme): void {
  if (document.documentElement.dataset["theme"] === theme) return;
  document.documentElement.dataset["theme"] = theme;
  for (const listener of [...listeners]) listener(theme);
}

/** Show the other theme and remember it. */
export function toggleTheme(): void {
  const theme = currentTheme() === "dark" ? "light" : "dark";
  remember(theme);
  showTheme(theme);
}

/** Set the theme before anything is drawn, follow the system's changes, and print in light colours. */
export function startTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  showTheme(initialTheme(recall(), dark.matches));
  dark.addEventListener("change", () => showTheme(initialTheme(recall(), dark.matches)));
  let shown: Theme | null = null;
  addEventListener("beforeprint", () => {
    shown = currentTheme();
    showTheme("light");
  });
  addEventListener("afterprint", () => {
    if (shown) showTheme(shown);
    shown = null;
  });
}

// A page from disk, in a frame or with cookies refused may have no storage at all; what the history holds
// of a page outlives its being loaded again.
function recall(): string | null {
  const kept: unknown = (history.state as Record<string, unknown> | null)?.[KEY];
  try {
    return localStorage.getItem(KEY) ?? (typeof kept === "string" ? kept : null);
  } catch {
    return typeof kept === "string" ? kept : null;
  }
}

function remember(theme: Theme): void {
  try {
    history.replaceState({ ...(history.state as object | null), [KEY]: theme }, "");
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice then holds for this visit only.
  }
}
