/**
 * Remembers what is in a thing of the application's.
 *
 * @returns whether it is still so: the same values under the same names, and the same class
 */
export function keep(value: object): () => boolean {
  const [entries, prototype] = [Object.entries(value), Object.getPrototypeOf(value) as object | null];
  return () => {
    const now = Object.entries(value);
    return (
      Object.getPrototypeOf(value) === prototype &&
      now.length === entries.length &&
      entries.every(([key, held], index) => now[index]![0] === key && Object.is(now[index]![1], held))
    );
  };
}
