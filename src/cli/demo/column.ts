/** Text to be printed, and its width without the codes of its colour. */
export interface Cell {
  readonly text: string;
  /** Colours the text after it was cut and padded. */
  readonly paint?: (text: string) => string;
}

/** Cuts to a width in characters; the cut is shown. */
export function fit(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

export function left(cell: Cell, width: number): string {
  const text = fit(cell.text, width);
  return painted(cell, text) + " ".repeat(width - [...text].length);
}

export function right(cell: Cell, width: number): string {
  const text = fit(cell.text, width);
  return " ".repeat(width - [...text].length) + painted(cell, text);
}

function painted(cell: Cell, text: string): string {
  return cell.paint ? cell.paint(text) : text;
}
