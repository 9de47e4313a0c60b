import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';
import type { DocumentFont } from './document-font.js';

/** Part of a line in one font and direction. */
interface TextRun {
  readonly text: string;
  readonly font: DocumentFont;
}

interface LogicalRun extends TextRun {
  readonly level: number;
}

// CommonJS, contrary to its declarations.
const createBidi = createRequire(import.meta.url)('bidi-js') as () => Bidi;
const bidi = createBidi();

/** For characters without a font. */
const substitute = '?';

export type Direction = 'ltr' | 'rtl';

/** Of its first letter outside of isolates; from left to right without one. */
export function directionOf(paragraph: string): Direction {
  return (bidi.getEmbeddingLevels(paragraph).paragraphs[0]?.level ?? 0) % 2 === 1 ? 'rtl' : 'ltr';
}

/** In visual order (Unicode bidirectional algorithm). Words never share a run. */
export function visualRuns(
  line: string,
  fonts: readonly DocumentFont[],
  direction: Direction = directionOf(line),
): TextRun[] {
  if (line === '') return [];
  return reorder(logicalRuns(line, fonts, direction)).map(({ text, font, level }) => ({
    text: level % 2 === 1 ? rightToLeft(text) : text,
    font,
  }));
}

/** Unicode FSI and PDI: they order, and are not seen. */
const isolates: ReadonlySet<string> = new Set(['\u2068', '\u2069']);

function logicalRuns(line: string, fonts: readonly DocumentFont[], direction: Direction): LogicalRun[] {
  const { levels } = bidi.getEmbeddingLevels(line, direction);
  const runs: LogicalRun[] = [];
  let index = 0;
  for (const character of line) {
    const level = levels[index] ?? 0;
    index += character.length;
    if (isolates.has(character)) continue;
    const { font, text } = inFont(character, fonts, runs.at(-1)?.font);
    const last = runs.at(-1);
    const isBoundary = text === ' ' || last?.text === ' ';
    if (last && last.font === font && last.level === level && !isBoundary) {
      runs[runs.length - 1] = { ...last, text: last.text + text };
    } else runs.push({ text, font, level });
  }
  return runs;
}

/** Prefers the previous font: marks must stay with their letter. */
function inFont(character: string, fonts: readonly DocumentFont[], previous: DocumentFont | undefined): TextRun {
  const codePoint = character.codePointAt(0) ?? 0;
  const order = previous ? [previous, ...fonts] : fonts;
  const font = order.find((candidate) => candidate.has(codePoint));
  if (font) return { text: character, font };
  const [first] = fonts;
  if (!first) throw new TypeError('no font is loaded');
  return { text: substitute, font: first };
}

/** Rule L2: reverses stretches from the highest to the lowest odd level. */
function reorder(runs: readonly LogicalRun[]): LogicalRun[] {
  const result = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    let start = 0;
    while (start < result.length) {
      let end = start;
      while (end < result.length && (result[end]?.level ?? 0) >= level) end += 1;
      if (end > start) result.splice(start, end - start, ...result.slice(start, end).reverse());
      start = end + 1;
    }
  }
  return result;
}

/** The shaper reverses letters of such a script; signs alone have no script. */
function rightToLeft(text: string): string {
  const characters = Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character);
  const hasLetter = Array.from(text).some((character) => ['R', 'AL'].includes(bidi.getBidiCharTypeName(character)));
  return (hasLetter ? characters : characters.reverse()).join('');
}

/** Breaks within a word only when it exceeds a line. */
export function wrapLines(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      const joined = line === '' ? word : `${line} ${word}`;
      if (measure(joined) <= width) {
        line = joined;
        continue;
      }
      if (line !== '') lines.push(line);
      line = word;
      while (measure(line) > width && line.length > 1) {
        const fitting = longestPrefix(line, width, measure);
        lines.push(fitting);
        line = line.slice(fitting.length);
      }
    }
    lines.push(line);
  }
  return lines;
}

/** At least one whole character. */
function longestPrefix(word: string, width: number, measure: (text: string) => number): string {
  let prefix = '';
  for (const character of word) {
    if (prefix !== '' && measure(prefix + character) > width) break;
    prefix += character;
  }
  return prefix;
}
