import { create, type Font } from 'fontkit';

export interface DocumentFont {
  /** Unique in a document. */
  readonly name: string;
  readonly data: Buffer;
  has(codePoint: number): boolean;
}

export function documentFont(name: string, data: Buffer): DocumentFont {
  const font = create(data) as Font;
  return { name, data, has: (codePoint) => font.hasGlyphForCodePoint(codePoint) };
}

/** Null: it has no character. */
export function subsetOf(name: string, data: Buffer): DocumentFont | null {
  const font = documentFont(name, data);
  try {
    font.has(0);
    return font;
  } catch (error) {
    // fontkit's word for a map without entries.
    if (error instanceof Error && error.message.includes('cmap')) return null;
    throw error;
  }
}
