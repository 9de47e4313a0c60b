/** Scripts of letters that look alike, or that have customers: others count as one more script. */
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

/** Combinations one language writes with (UTS #39, "highly restrictive"). */
const combinations: readonly ReadonlySet<string>[] = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
];

/** Whether letters of scripts are mixed that no language mixes, as in "pаypal" with a Cyrillic "а". */
export function isMixedScript(text: string): boolean {
  const used = new Set<string>();
  for (const character of text.normalize('NFKC')) {
    if (!/\p{L}/u.test(character)) continue;
    const matching = patterns.filter(([, pattern]) => pattern.test(character)).map(([name]) => name);
    // A letter of several scripts fits each of them.
    if (matching.length <= 1) used.add(matching[0] ?? 'other');
  }
  return used.size > 1 && !combinations.some((allowed) => [...used].every((name) => allowed.has(name)));
}
