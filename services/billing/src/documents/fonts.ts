import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type DocumentFont, documentFont } from './document-font.js';
import { type FontFamily, sliceFonts } from './font-slices.js';

const require = createRequire(import.meta.url);
const family = (name: string, file: string): string => require.resolve(`@expo-google-fonts/${name}/${file}`);

/** Noto Sans (SIL Open Font License): Latin, Greek, Cyrillic, Vietnamese and Devanagari, then Arabic and Hebrew. */
const bundled = {
  regular: [
    family('noto-sans', '400Regular/NotoSans_400Regular.ttf'),
    family('noto-sans-arabic', '400Regular/NotoSansArabic_400Regular.ttf'),
    family('noto-sans-hebrew', '400Regular/NotoSansHebrew_400Regular.ttf'),
  ],
  bold: [
    family('noto-sans', '700Bold/NotoSans_700Bold.ttf'),
    family('noto-sans-arabic', '700Bold/NotoSansArabic_700Bold.ttf'),
    family('noto-sans-hebrew', '700Bold/NotoSansHebrew_700Bold.ttf'),
  ],
};

export interface FontSet {
  readonly regular: readonly DocumentFont[];
  readonly bold: readonly DocumentFont[];
}

/** Reads the fonts of alphabets once; `fontsFor` adds others. */
export function loadFonts(): FontSet {
  return {
    regular: bundled.regular.map((file) => documentFont(`regular:${file}`, readFileSync(file))),
    bold: bundled.bold.map((file) => documentFont(`bold:${file}`, readFileSync(file))),
  };
}

/**
 * With what a document needs of Chinese, Japanese, Korean and Thai. Han characters look as in `country` (ISO 3166-1
 * alpha-2), else as in mainland China; beside kana as in Japan, beside hangul as in Korea.
 */
export async function fontsFor(text: string, country: string, { regular, bold }: FontSet): Promise<FontSet> {
  const characters = new Set(text);
  const others = [...characters].filter((character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return codePoint > 0x7f && !regular.some((font) => font.has(codePoint));
  });
  const slices = await sliceFonts(others, familiesFor(text, country));
  return { regular: [...regular, ...slices], bold: [...bold, ...slices] };
}

const hanFamilies: readonly FontFamily[] = ['sc', 'tc', 'jp', 'kr'];
const hanByCountry: Readonly<Record<string, FontFamily>> = { JP: 'jp', KR: 'kr', TW: 'tc', HK: 'tc', MO: 'tc' };

function familiesFor(text: string, country: string): FontFamily[] {
  const byScript = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? 'jp'
    : /\p{Script=Hangul}/u.test(text)
      ? 'kr'
      : 'sc';
  const first = (Object.hasOwn(hanByCountry, country) ? hanByCountry[country] : undefined) ?? byScript;
  return ['thai', first, ...hanFamilies.filter((name) => name !== first)];
}
