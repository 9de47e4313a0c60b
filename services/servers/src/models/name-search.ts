const gramLength = 3;
/** More of them make a search no faster. */
const maxGramsAsked = 6;

/** All parts of three characters of a name in lower case: an index over them finds any part of a name without a scan. */
export function gramsOf(name: string): string[] {
  const key = name.toLowerCase();
  const grams = new Set<string>();
  for (let at = 0; at + gramLength <= key.length; at++) grams.add(key.slice(at, at + gramLength));
  return [...grams];
}

/** Filter for names that contain a text, whatever its case. The text is literal. */
export function nameContains(text: string): Record<string, unknown> {
  if (text === '') return {};
  const key = text.toLowerCase();
  const grams = gramsOf(key).slice(0, maxGramsAsked);
  const literal = key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return { nameKey: { $regex: literal }, ...(grams.length === 0 ? {} : { nameGrams: { $all: grams } }) };
}
