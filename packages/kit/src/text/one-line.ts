/** Controls (C0, DEL, C1), line and paragraph separators, invisible and direction marks. */
const hidden = String.raw`\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;
const hiddenInLine = new RegExp(`[${hidden}]`, 'u');
/** Special to terminals or line-based files. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** For names: one line, nothing invisible. */
export function isOneLine(text: string): boolean {
  return !hiddenInLine.test(text);
}

/** For commands and variable values: one line, no controls but tabs. */
export function isCommandLine(text: string): boolean {
  return !control.test(text.replaceAll('\t', ''));
}

/** For prose: no controls but tabs and line breaks, nothing invisible. */
export function isPlainText(text: string): boolean {
  return !hiddenInLine.test(text.replaceAll(/[\t\r\n]/g, ''));
}
