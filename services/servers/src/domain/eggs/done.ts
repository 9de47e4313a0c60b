import type { EggConfig } from './egg.js';
import { compilePattern, type Pattern } from './pattern.js';

const expressionPrefix = 'regex:';
/** Ready messages are short. */
const maxMatchedLength = 2048;
// oxlint-disable-next-line no-control-regex -- ANSI escapes begin with ESC: CSI sequences, OSC up to BEL or ST, others
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

export interface DoneMatcher {
  readonly isEmpty: boolean;
  matches(line: string): boolean;
}

/** Skips invalid expressions (a save rejects them). */
export function createDoneMatcher(config: Pick<EggConfig, 'startupDone' | 'startupStripAnsi'>): DoneMatcher {
  const tests = config.startupDone
    .filter((part) => part !== '')
    .map(testOf)
    .filter((test) => test !== null);
  return {
    isEmpty: tests.length === 0,
    matches: (line) => {
      const head = line.slice(0, maxMatchedLength);
      const text = config.startupStripAnsi ? head.replace(ansi, '') : head;
      return tests.some((test) => test(text));
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
