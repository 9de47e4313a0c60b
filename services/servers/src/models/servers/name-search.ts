const gramLengths = [2, 3] as const;
/** Of each end of a text: one of them is rare, if any is. */
const gramsAsked = 4;

/** All parts of two and three characters of a name in lower case: an index over them finds any part without a scan. */
export function trigramsOf(name: string): string[] {
  return [...new Set(gramLengths.flatMap((length) => parts(name.toLowerCase(), length)))];
}

function parts(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}

/** Filter for names that contain a text, whatever its case. The text is literal. */
export function nameContains(text: string): { nameKey?: { $regex: string } } {
  if (text === '') return {};
  return { nameKey: { $regex: text.toLowerCase().replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') } };
}

/** Parts that every name has that contains the text, some of them; none for a text that is too short. */
export function searchTrigrams(text: string): string[] {
  const key = text.toLowerCase();
  const grams = parts(key, key.length < 3 ? 2 : 3);
  return [...new Set([...grams.slice(0, gramsAsked), ...grams.slice(-gramsAsked)])];
}
