/** The first letters of a text, none of which is cut in two as code units are. */
export function leading(text: string, count: number): string {
  return Array.from(text).slice(0, count).join("");
}

/** A text of at most so many letters; one that is longer ends with an ellipsis. */
export function shortened(text: string, most: number): string {
  return Array.from(text).length > most ? `${leading(text, most - 1)}…` : text;
}
