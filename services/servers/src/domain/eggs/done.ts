import type { EggConfig } from './egg.js';
import { withoutEscapes } from '../console/terminal-text.js';
import { compilePattern, type Pattern } from './pattern.js';

const expressionPrefix = 'regex:';
/** Ready messages are short. */
const maxMatchedLength = 2048;

export interface DoneMatcher {
  readonly isEmpty: boolean;
  matches(line: string): boolean;
}

/**
 * Skips invalid expressions (a save rejects them). Colours do not hide the text; with escapes it is compared too, unless the
 * egg strips them.
 */
export function createDoneMatcher(config: Pick<EggConfig, 'startupDone' | 'startupStripAnsi'>): DoneMatcher {
  const tests = config.startupDone
    .filter((part) => part !== '')
    .map(testOf)
    .filter((test) => test !== null);
  return {
    isEmpty: tests.length === 0,
    matches: (line) => {
      const text = withoutEscapes(line);
      const texts = config.startupStripAnsi || text === line ? [text] : [text, line];
      return texts.map((one) => one.slice(0, maxMatchedLength)).some((head) => tests.some((test) => test(head)));
    },
  };
}

function testOf(part: string): ((text: string) => boolean) | null {
  if (!part.startsWith(expressionPrefix)) return (text) => text.includes(part);
  const pattern = compileDone(part);
  return typeof pattern === 'string' ? null : (text) => pattern.test(text);
}

/** Error message or null. */
export function validateDonePattern(part: string): string | null {
  if (!part.startsWith(expressionPrefix)) return null;
  const pattern = compileDone(part);
  return typeof pattern === 'string' ? pattern : null;
}

function compileDone(part: string): Pattern | string {
  return compilePattern(part.slice(expressionPrefix.length));
}
