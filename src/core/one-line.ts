/** More is never looked at: a message is cut to a few hundred characters in the end. */
const MOST_CHARACTERS = 8192;

/** One line without stack frames: they hold file paths, and frameworks paste whole stacks into their messages. */
export function oneLine(text: string): string {
  return text
    .slice(0, MOST_CHARACTERS)
    .replace(/(^|\n)\s*at [^\n]*/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** At most `limit` UTF-16 units, never half a surrogate pair; a cut is shown by an ellipsis. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 1) return "";
  const end = limit - 1;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return `${text.slice(0, splitsPair ? end - 1 : end)}…`;
}
