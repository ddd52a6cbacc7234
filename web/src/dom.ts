// A tiny way to write elements. Text only ever becomes text nodes, so that a
// user's words cannot become markup; nothing here sets a style attribute, which
// the page's content security policy forbids.

export type Child = Node | string | null | undefined | false;

export interface Props {
  class?: string;
  text?: string;
  data?: Record<string, string>;
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
  [attribute: string]: unknown;
}

const OWN = new Set(["class", "text", "data", "on"]);

/** Make an element: attributes from `props` (true is an empty attribute; false, null and undefined none). */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  for (const [name, value] of Object.entries(props)) {
    if (OWN.has(name) || value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, value] of Object.entries(props.data ?? {})) element.dataset[name] = value;
  for (const [name, listener] of Object.entries(props.on ?? {})) {
    element.addEventListener(name, listener as EventListener);
  }
  if (props.text !== undefined) element.textContent = props.text;
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of 24 by 24 units drawn by `path`; it is decoration, its button has the name. */
export function icon(path: string, filled = false): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", filled ? "ulna-icon ulna-icon-filled" : "ulna-icon");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** The icon of a button that shows all of a picture again. */
export const WHOLE_VIEW = "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5";

/** Say `value` of a data attribute or aria attribute only when it differs, so that frames cost nothing. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
