import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';

export interface DocumentFont {
  readonly name: string;
  readonly data: Buffer;
  has(codePoint: number): boolean;
}

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

/** Reads the fonts once. CJK fonts are too large to ship. */
export function loadFonts(): FontSet {
  return {
    regular: bundled.regular.map((file) => loadFont('regular', file)),
    bold: bundled.bold.map((file) => loadFont('bold', file)),
  };
}

function loadFont(weight: string, file: string): DocumentFont {
  const data = readFileSync(file);
  const font = create(data) as Font;
  return { name: `${weight}:${file}`, data, has: (codePoint) => font.hasGlyphForCodePoint(codePoint) };
}
