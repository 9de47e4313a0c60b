export interface Segment {
  readonly text: string;
  readonly classes: string;
  /** Where an OSC 8 link leads, as browsers write it; http and https only. */
  readonly link?: string;
}

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  reverse: boolean;
  foreground: number | null;
  background: number | null;
}

const plain: Style = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  reverse: false,
  foreground: null,
  background: null,
};

/** CSI sequences, OSC strings, other escapes, and lone control characters. */
const sequence =
  // oxlint-disable-next-line no-control-regex -- terminal output is made of control characters
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x00-\x08\x0b-\x1f\x7f]/g;

/** Characters that would reorder surrounding text; shown as visible codes. */
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const showBidi = (text: string): string =>
  text.replace(bidi, (char) => `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

const cutMark = ' … [cut]';

/** The panel has cut the line at 8 KiB. */
export function isCut(line: string): boolean {
  return line.endsWith(cutMark);
}

const linkStart = '\x1b]8;';

/** A line without terminal escapes: the texts of `parseLine`. */
export function plainText(line: string): string {
  if (!line.includes(linkStart)) return showBidi(line.replace(sequence, ''));
  return parseLine(line)
    .map(({ text }) => text)
    .join('');
}

/** Keeps colours, weights and links, which show their host; drops other escapes. */
export function parseLine(line: string): Segment[] {
  const segments: Segment[] = [];
  const style = { ...plain };
  let link: string | undefined;
  let linkText = '';
  let from = 0;
  const push = (given: string): void => {
    if (given === '') return;
    const text = showBidi(given);
    segments.push({ text, classes: classesOf(style), ...(link === undefined ? {} : { link }) });
    if (link !== undefined) linkText += text;
  };
  const setLink = (next: string | undefined): void => {
    if (next === link) return;
    const last = segments.at(-1);
    if (link !== undefined && linkText !== '' && last) {
      segments[segments.length - 1] = { ...last, text: last.text + hostNote(link, linkText) };
    }
    link = next;
    linkText = '';
  };
  for (const match of line.matchAll(sequence)) {
    push(line.slice(from, match.index));
    from = match.index + match[0].length;
    const [, parameters, final, osc] = match;
    if (final === 'm') applySgr(style, parameters ?? '');
    if (osc !== undefined && osc.startsWith('8;')) setLink(linkOf(osc));
  }
  push(line.slice(from));
  setLink(undefined);
  return segments;
}

function linkOf(osc: string): string | undefined {
  const address = osc.slice(osc.indexOf(';', 2) + 1);
  return /^https?:\/\//i.test(address) ? (URL.parse(address)?.href ?? undefined) : undefined;
}

/**
 * Empty where the text is the host or an address there, letter by letter: a look-alike differs from the ASCII form. The host
 * somewhere else in the text proves nothing.
 */
function hostNote(link: string, text: string): string {
  const { host } = new URL(link);
  const [, shown = ''] = /^(?:https?:\/\/)?([^/?#]*)/i.exec(text) ?? [];
  return shown.toLowerCase() === host ? '' : ` ⟨${host}⟩`;
}

function classesOf(style: Style): string {
  const classes: string[] = [];
  if (style.bold) classes.push('s-b');
  if (style.dim) classes.push('s-d');
  if (style.italic) classes.push('s-i');
  if (style.underline) classes.push('s-u');
  if (style.strike) classes.push('s-s');
  if (style.reverse) classes.push('s-r');
  if (style.foreground !== null) classes.push(`s-f${style.foreground}`);
  if (style.background !== null) classes.push(`s-g${style.background & 7}`);
  return classes.join(' ');
}

function applySgr(style: Style, parameters: string): void {
  const codes = parameters === '' ? [0] : parameters.split(/[;:]/).map(Number);
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, used } = extendedColour(codes.slice(index + 1));
      if (code === 38) style.foreground = colour;
      else style.background = colour;
      index += used;
    } else applyCode(style, code);
  }
}

function applyCode(style: Style, code: number): void {
  if (code === 0) Object.assign(style, plain);
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 3) style.italic = true;
  else if (code === 4) style.underline = true;
  else if (code === 7) style.reverse = true;
  else if (code === 9) style.strike = true;
  else if (code === 22) style.bold = style.dim = false;
  else if (code === 23) style.italic = false;
  else if (code === 24) style.underline = false;
  else if (code === 27) style.reverse = false;
  else if (code === 29) style.strike = false;
  else if (code >= 30 && code <= 37) style.foreground = code - 30;
  else if (code === 39) style.foreground = null;
  else if (code >= 40 && code <= 47) style.background = code - 40;
  else if (code === 49) style.background = null;
  else if (code >= 90 && code <= 97) style.foreground = code - 82;
  else if (code >= 100 && code <= 107) style.background = code - 92;
}

function extendedColour(rest: readonly number[]): { colour: number | null; used: number } {
  if (rest[0] === 5) return { colour: nearestOf256(rest[1] ?? 0), used: 2 };
  if (rest[0] === 2) return { colour: nearest(rest[1] ?? 0, rest[2] ?? 0, rest[3] ?? 0), used: 4 };
  return { colour: null, used: 1 };
}

function nearestOf256(index: number): number {
  if (index < 16) return Math.max(0, index);
  if (index > 231) return index < 244 ? 8 : index < 252 ? 7 : 15;
  const cube = index - 16;
  const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(red: number, green: number, blue: number): number {
  const peak = Math.max(red, green, blue);
  if (peak < 64) return 0;
  const isOn = (value: number): number => (value > peak * 0.6 ? 1 : 0);
  const base = isOn(red) | (isOn(green) << 1) | (isOn(blue) << 2);
  return peak > 200 && base !== 0 ? base + 8 : base;
}
