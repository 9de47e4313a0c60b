import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import subsetFont from 'subset-font';
import { type DocumentFont, subsetOf } from './document-font.js';

const require = createRequire(import.meta.url);

/** Noto Sans (SIL Open Font License), cut by code points as web pages load it. */
export type FontFamily = 'jp' | 'kr' | 'sc' | 'tc' | 'thai';

interface Slice {
  readonly file: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** The index of a family is read once. */
const indexes = new Map<FontFamily, Promise<readonly Slice[]>>();

/** Distinct characters of a document from slices; further ones are not printed. A slice takes 5 ms, a glyph 0.5 KB. */
const maxCharacters = 1_000;

/**
 * Fonts of exactly the characters that `families` have, in the order of the families: one of a slice. Its weight is
 * regular.
 */
export async function sliceFonts(
  characters: readonly string[],
  families: readonly FontFamily[],
): Promise<DocumentFont[]> {
  const missing = new Set(characters.slice(0, maxCharacters));
  const fonts: DocumentFont[] = [];
  for (const family of families) {
    if (missing.size === 0) break;
    const slices = await indexOf(family);
    for (const [file, own] of bySlice(missing, slices)) {
      const data = await subsetFont(await readFile(file), own.join(''), { targetFormat: 'sfnt', variationAxes });
      const font = subsetOf(file, data);
      if (!font) continue;
      fonts.push(font);
      for (const character of own) if (font.has(character.codePointAt(0) ?? 0)) missing.delete(character);
    }
  }
  return fonts;
}

const variationAxes = { wght: 400 };

function bySlice(characters: ReadonlySet<string>, slices: readonly Slice[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const character of characters) {
    const slice = slices.find(({ ranges }) => isWithin(character.codePointAt(0) ?? 0, ranges));
    if (slice) found.set(slice.file, [...(found.get(slice.file) ?? []), character]);
  }
  return found;
}

const isWithin = (codePoint: number, ranges: Slice['ranges']): boolean =>
  ranges.some(([first, last]) => codePoint >= first && codePoint <= last);

async function indexOf(family: FontFamily): Promise<readonly Slice[]> {
  const index = indexes.get(family) ?? readIndex(family);
  indexes.set(family, index);
  return index;
}

/** `{"[0]": "U+25ee8,U+1f235-1f23b", "thai": "…"}`. */
async function readIndex(family: FontFamily): Promise<readonly Slice[]> {
  const name = `noto-sans-${family}`;
  const index = JSON.parse(
    await readFile(require.resolve(`@fontsource-variable/${name}/unicode.json`), 'utf8'),
  ) as Record<string, string>;
  return Object.entries(index).map(([key, ranges]) => ({
    file: require.resolve(`@fontsource-variable/${name}/files/${name}-${key.replace(/[[\]]/g, '')}-wght-normal.woff2`),
    ranges: ranges.split(',').map(rangeOf),
  }));
}

function rangeOf(range: string): readonly [number, number] {
  const [first = 0, last = first] = range
    .replace('U+', '')
    .split('-')
    .map((hex) => Number.parseInt(hex, 16));
  return [first, last];
}
