/** Wider than any screen. */
const maxRepeat = 200;

const escape = '\u001b';
// oxlint-disable-next-line no-control-regex -- SGR sequences (colours) and OSC 8 (links) are what viewers understand
const retained = /\u001b\[[\d;:]*m|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
// oxlint-disable-next-line no-control-regex -- control sequences begin with control characters
const controls = /[\u0007\b\u000e\u000f\u001b]/;
const token =
  // oxlint-disable-next-line no-control-regex -- CSI, OSC and other escapes, shift in and out, backspace, bell
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|[\u0007\b\u000e\u000f]/g;
/** A lone CR or column 1 (rewrite), a cursor movement, a clear. An incomplete sequence does not match. */
const rowEnd =
  // oxlint-disable-next-line no-control-regex -- see above
  /\r+(?![\r\n]|$)|\u001b\[0*1?G|\u001b\[[\d;]*[ABEFHdf]|\u001b\[[0-3]?J|\u001b\[\?(?:47|1047|1049)[hl]|\u001b[cDEM]/g;
// oxlint-disable-next-line no-control-regex -- a sequence whose end is still to come
const unfinished = /\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]*\u001b?|[ -/]*)$/;

/** DEC special graphics. */
const graphics: Readonly<Record<string, string>> = {
  j: '┘',
  k: '┐',
  l: '┌',
  m: '└',
  n: '┼',
  q: '─',
  t: '├',
  u: '┤',
  v: '┴',
  w: '┬',
  x: '│',
  a: '▒',
  '`': '◆',
  '~': '·',
};

interface RowEnd {
  readonly end: number;
  readonly next: number;
  readonly isOverwritten: boolean;
}

/** One character per byte. */
export function findRowEnds(bytes: string): RowEnd[] {
  return [...bytes.matchAll(rowEnd)].map((match) => ({
    end: match.index,
    next: match.index + match[0].length,
    isOverwritten: match[0].startsWith('\r') || match[0].endsWith('G'),
  }));
}

/** Excludes an incomplete control sequence. */
export function completeLength(bytes: string): number {
  return unfinished.exec(bytes)?.index ?? bytes.length;
}

/**
 * Keeps colours and links, expands movements, repeats and line drawing, drops backspaced characters and other
 * sequences.
 */
export function renderRow(row: string): string {
  if (!controls.test(row) || !controls.test(row.replace(retained, ''))) return row;
  const writer = new RowWriter();
  let from = 0;
  for (const match of row.matchAll(token)) {
    writer.write(row.slice(from, match.index));
    from = match.index + match[0].length;
    writer.control(match[0], match[1] ?? '', match[2] ?? '');
  }
  writer.write(row.slice(from));
  return writer.text;
}

export function visibleText(row: string): string {
  return row.includes(escape) ? row.replace(retained, '') : row;
}

// oxlint-disable-next-line no-control-regex -- ANSI escapes begin with ESC: CSI sequences, OSC up to BEL or ST, others
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** For comparisons with what a line says. */
export function withoutEscapes(line: string): string {
  return line.includes(escape) ? line.replace(escapes, '') : line;
}

/** False for a prompt, a bar or blanks. */
export function hasWords(visible: string): boolean {
  return /[\p{L}\p{N}]/u.test(visible);
}

/** Equal for all stages of one progress display. */
export function progressSignature(visible: string): string {
  return visible.replace(/[\d.,:%#=>\-*|/\\\s_█▒░●○]+/g, ' ').trim();
}

class RowWriter {
  readonly #parts: string[] = [];
  #isDrawing = false;

  get text(): string {
    return this.#parts.join('');
  }

  write(text: string): void {
    for (const character of text) this.#parts.push(this.#isDrawing ? (graphics[character] ?? character) : character);
  }

  control(sequence: string, parameters: string, final: string): void {
    if (sequence === '\b') this.#erase();
    else if (sequence === '\u000e' || sequence === `${escape}(0`) this.#isDrawing = true;
    else if (sequence === '\u000f' || sequence === `${escape}(B`) this.#isDrawing = false;
    else if (final === 'm' || sequence.startsWith(`${escape}]8;`)) this.#parts.push(sequence);
    else if (final === 'C') this.#parts.push(' '.repeat(countOf(parameters)));
    else if (final === 'b') this.#parts.push((this.#last() ?? '').repeat(countOf(parameters)));
    else if (final === 'G') this.#parts.push('  ');
  }

  #erase(): void {
    const at = this.#lastIndex();
    if (at >= 0) this.#parts.splice(at, 1);
  }

  #last(): string | undefined {
    return this.#parts[this.#lastIndex()];
  }

  #lastIndex(): number {
    return this.#parts.findLastIndex((part) => !part.startsWith(escape));
  }
}

function countOf(parameters: string): number {
  return Math.min(maxRepeat, Math.max(1, Number.parseInt(parameters, 10) || 1));
}
