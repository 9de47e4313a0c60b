import { RE2JS, RE2JSException } from 're2js';

/** Linear run time. */
export interface Pattern {
  /** Unanchored. */
  test(text: string): boolean;
  /** `replacement` is literal. */
  replaceFirst(text: string, replacement: string): string;
}

const maxPatternLength = 1000;
/** Proportional to the steps per character; public eggs stay below 100. */
const maxProgramSize = 3000;
const brackets: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** RE2 (Go) syntax; text: error message. */
export function compilePattern(source: string, flags = 0): Pattern | string {
  if (source.length > maxPatternLength) return `the expression is longer than ${maxPatternLength} characters`;
  try {
    const compiled = RE2JS.compile(source, flags);
    if (compiled.programSize() > maxProgramSize) return 'the expression is too costly';
    return {
      test: (text) => compiled.matcher(text).find(),
      replaceFirst: (text, replacement) => compiled.matcher(text).replaceFirst(RE2JS.quoteReplacement(replacement)),
    };
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

/** PHP syntax: `/^a+$/i` or `(^a+$)`. */
export function compileDelimited(text: string): Pattern | string {
  const open = text[0] ?? '';
  if (open === '' || /[\w\s\\]/.test(open)) return 'the expression has no delimiters';
  const end = text.lastIndexOf(brackets[open] ?? open);
  if (end <= 0) return 'the expression does not end with its delimiter';
  const flags = flagsOf(text.slice(end + 1));
  if (typeof flags === 'string') return flags;
  return compilePattern(text.slice(1, end), flags);
}

function flagsOf(letters: string): number | string {
  let flags = 0;
  for (const letter of letters) {
    if (letter === 'i') flags |= RE2JS.CASE_INSENSITIVE;
    else if (letter === 'm') flags |= RE2JS.MULTILINE;
    else if (letter === 's') flags |= RE2JS.DOTALL;
    // u: Unicode is always on. D: `$` never matches before a final line feed.
    else if (letter !== 'u' && letter !== 'D') return `the flag ${JSON.stringify(letter)} is not known`;
  }
  return flags;
}
