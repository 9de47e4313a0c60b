/** Null until it is first written. */
const texts = new WeakMap<object, string | null>();

/** Note that a part of an answer is given again and again, and never changes: its JSON is kept with it. */
export function repeated<T extends object>(part: T): T {
  if (!texts.has(part)) texts.set(part, null);
  return part;
}

export function isRepeated(part: unknown): part is object {
  return typeof part === 'object' && part !== null && texts.has(part);
}

/** The JSON of something that is repeated. */
export function repeatedJson(part: object): string {
  const known = texts.get(part);
  if (known) return known;
  const text = JSON.stringify(part);
  texts.set(part, text);
  return text;
}
