import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';

/*
 * A title is all that a failing run shows of a test. It states a whole fact, verb first (`rejects a reused TOTP code`), and
 * does not continue the title of its suite (`is rejected when it is reused`).
 */

/** Words that begin half a sentence, whose subject is in the title of the suite. `does not` and `never` state facts. */
const continuations = new Set(
  [
    'is are has have had was were be been being do did can cannot could may might must shall should will would',
    'of at in to with without from by on onto into after before while when where and or but for as if unless until during',
    'that which who whose than then because so also both inside between under over about against per via despite',
  ].flatMap((words) => words.split(' ')),
);

/** A number from a list of cases that the reader does not have, like T060 or F55. */
const caseNumber = /\b[TF]\d{2,3}\b/;

const title = /\bit(?:\.skip|\.only)?\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g;

function problemOf(text: string): string | null {
  const [, first = '', second = ''] = /^([^\s,:]*)\s*(\S*)/.exec(text) ?? [];
  if (continuations.has(first) || (first === 'does' && second !== 'not')) return 'continues the title of its suite';
  if (text.startsWith('...') || !text.includes(' ')) return 'has no object';
  return caseNumber.test(text) ? 'contains a case number' : null;
}

function problemsIn(source: string): string[] {
  return [...source.matchAll(title)].flatMap(([, single, double, template]) => {
    const text = single ?? double ?? template ?? '';
    const problem = problemOf(text);
    return problem === null ? [] : [`"${text}" ${problem}`];
  });
}

describe('titles of tests', () => {
  it('states a whole fact in every title', () => {
    const folders = [...workspaces().map((name) => `${name}/test`), 'test'];
    const files = folders.flatMap((folder) => filesBelow(folder, '.ts'));
    expect(files).to.have.length.of.at.least(400);
    const problems = files.flatMap((file) => problemsIn(readText(file)).map((problem) => `${file}: ${problem}`));
    expect(problems).to.deep.equal([]);
  });

  for (const [planted, problem] of [
    ['are refused from their expiry, although cached', 'continues the title of its suite'],
    ['at ${point} of a checkout leaves ${outcome}', 'continues the title of its suite'],
    ['does', 'continues the title of its suite'],
    ['rotates', 'has no object'],
    ['refuses the attack of T060', 'contains a case number'],
    ['F55: keeps the session', 'contains a case number'],
  ] as const) {
    it(`refuses the title "${planted}"`, () => {
      expect(problemsIn(`  it(\n  \`${planted}\`, () => {})`)).to.deep.equal([`"${planted}" ${problem}`]);
    });
  }
});
