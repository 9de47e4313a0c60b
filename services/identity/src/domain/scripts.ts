/** Look-alike or used scripts; all others count as one more. */
const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Georgian',
  'Cherokee',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
] as const;

const patterns = scripts.map((name) => [name, new RegExp(String.raw`\p{Script_Extensions=${name}}`, 'u')] as const);

/** Combinations of one language (UTS #39, "highly restrictive"). */
const combinations: readonly ReadonlySet<string>[] = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
];

/** Mixes scripts of no common language, like "pаypal" with a Cyrillic "а". */
export function isMixedScript(text: string): boolean {
  const used = new Set<string>();
  for (const character of text.normalize('NFKC')) {
    if (!/\p{L}/u.test(character)) continue;
    const matching = patterns.filter(([, pattern]) => pattern.test(character)).map(([name]) => name);
    // Letters of several scripts fit each of them.
    if (matching.length <= 1) used.add(matching[0] ?? 'other');
  }
  return used.size > 1 && !combinations.some((allowed) => [...used].every((name) => allowed.has(name)));
}
