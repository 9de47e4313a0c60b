const gramLengths = [2, 3] as const;
/** From each end: one may be rare. */
const gramsAsked = 4;

/** Parts of two and three characters: an index finds any part. */
export function trigramsOf(name: string): string[] {
  return [...new Set(gramLengths.flatMap((length) => parts(name.toLowerCase(), length)))];
}

function parts(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}

/** Case-insensitive; the text is literal. */
export function nameContains(text: string): { nameKey?: { $regex: string } } {
  if (text === '') return {};
  return { nameKey: { $regex: text.toLowerCase().replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') } };
}

/** Every match has them; none for a short text. */
export function searchTrigrams(text: string): string[] {
  const key = text.toLowerCase();
  const grams = parts(key, key.length < 3 ? 2 : 3);
  return [...new Set([...grams.slice(0, gramsAsked), ...grams.slice(-gramsAsked)])];
}
