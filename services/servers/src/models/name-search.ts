const gramLengths = [2, 3] as const;
/** More of them make a search no faster. */
const maxGramsAsked = 6;

/** All parts of two and three characters of a name in lower case: an index over them finds any part without a scan. */
export function gramsOf(name: string): string[] {
  return [...new Set(gramLengths.flatMap((length) => parts(name.toLowerCase(), length)))];
}

function parts(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}

/** Filter for names that contain a text, whatever its case. The text is literal. */
export function nameContains(text: string): Record<string, unknown> {
  if (text === '') return {};
  const key = text.toLowerCase();
  const grams = [...new Set(parts(key, key.length < 3 ? 2 : 3))].slice(0, maxGramsAsked);
  const literal = key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return { nameKey: { $regex: literal }, ...(grams.length === 0 ? {} : { nameGrams: { $all: grams } }) };
}
