import { isAscii } from 'node:buffer';

/** The first match. */
export type TextFinder = (bytes: Buffer) => { readonly line: number; readonly text: string } | null;

const maxLineLength = 200;

/** Ignores case. Most texts are ASCII, where a regular expression takes a tenth of the CPU of a lower-case copy. */
export function createTextFinder(content: string): TextFinder {
  const wanted = content.toLowerCase();
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
  return (bytes) => (isAscii(bytes) ? findAscii(bytes, pattern) : findAny(bytes.toString('utf8'), wanted));
}

function findAscii(bytes: Buffer, pattern: RegExp): ReturnType<TextFinder> {
  const text = bytes.toString('latin1');
  const at = pattern.exec(text)?.index;
  return at === undefined ? null : lineAt(text, text.slice(0, at).split('\n').length);
}

function findAny(text: string, wanted: string): ReturnType<TextFinder> {
  const lowerCase = text.toLowerCase();
  const at = lowerCase.indexOf(wanted);
  // lower case may be longer than the text: offsets differ, numbers of lines do not
  return at < 0 ? null : lineAt(text, lowerCase.slice(0, at).split('\n').length);
}

function lineAt(text: string, line: number): ReturnType<TextFinder> {
  return { line, text: (text.split('\n', line).at(-1) ?? '').slice(0, maxLineLength) };
}
