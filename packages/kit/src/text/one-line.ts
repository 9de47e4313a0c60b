/** Control characters (C0, DEL, C1), the separators of lines and paragraphs, and marks that are invisible or turn text round. */
const hidden = String.raw`\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;
const hiddenInLine = new RegExp(`[${hidden}]`, 'u');
/** What a terminal or a line of a file reads as more than text. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a text that people read, like a name, is one line and holds nothing invisible. */
export function isOneLine(text: string): boolean {
  return !hiddenInLine.test(text);
}

/** Whether a text that a program reads, like a command or a variable's value, is one line without controls; tabs are fine. */
export function isCommandLine(text: string): boolean {
  return !control.test(text.replaceAll('\t', ''));
}

/** Whether a text that people read holds no controls but tabs and line breaks, and nothing invisible. */
export function isPlainText(text: string): boolean {
  return !hiddenInLine.test(text.replaceAll(/[\t\r\n]/g, ''));
}
