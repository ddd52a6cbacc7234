/** Light or dark, as the notebook around a widget is: each has its own way to tell. */

export type NotebookTheme = "light" | "dark";

/** What a notebook says of itself: the data and classes of <body> and <html>. */
export interface Signals {
  /** JupyterLab, "true" or "false". */
  jpThemeLight?: string | undefined;
  /** VS Code, such as "vscode-dark". */
  vscodeThemeKind?: string | undefined;
  /** marimo and others. */
  theme?: string | undefined;
  classes: readonly string[];
  prefersDark: boolean;
}

export function themeOf({ jpThemeLight, vscodeThemeKind, theme, classes, prefersDark }: Signals): NotebookTheme {
  if (jpThemeLight !== undefined) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind !== undefined) return /dark|high-contrast$/.test(vscodeThemeKind) ? "dark" : "light";
  if (theme === "dark" || theme === "light") return theme;
  for (const name of ["dark", "light"] as const) if (classes.includes(name)) return name;
  return prefersDark ? "dark" : "light";
}

/** Call `show` with the theme now and after every change; returns what ends that. */
export function followTheme(show: (theme: NotebookTheme) => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const [html, body] = [document.documentElement, document.body];
  const update = (): void => {
    const { jpThemeLight, vscodeThemeKind, theme } = body.dataset;
    const classes = [...body.classList, ...html.classList];
    // Google Colab writes an attribute of its own.
    const other = theme ?? html.dataset["theme"] ?? html.getAttribute("theme") ?? undefined;
    show(themeOf({ jpThemeLight, vscodeThemeKind, theme: other, classes, prefersDark: dark.matches }));
  };
  const observer = new MutationObserver(update);
  const attributeFilter = ["class", "theme", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"];
  for (const element of [html, body]) observer.observe(element, { attributes: true, attributeFilter });
  dark.addEventListener("change", update);
  update();
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", update);
  };
}
