import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { filesBelow, readText } from './files.js';
import { root } from './root.js';

/*
 * Comments are technical English: they name a user, a caller, a client or a process, and use the term of the field instead
 * of a figure of speech.
 */

const words: readonly [RegExp, string][] = [
  [/\b(?:nobody|somebody|someone|anyone|whoever|whatever|strangers?)\b/i, 'name the user, caller, client or value'],
  [/\bunder way\b/i, 'write "in progress" or "running"'],
  [/\b(?:is|are|was|were|been|went|goes|stays?) away\b/i, 'write "unavailable"'],
  [/\b(?:tells?|telling|told)\b/i, 'write "notify", "report" or "return"'],
  [/\blook(?:s|ed|ing)? (?:at|into)\b/i, 'write "inspect", "read" or "poll"'],
  [/\bwhat is left\b/i, 'write "remaining"'],
  [/\bafresh\b/i, 'write "again" or "new"'],
  [/\ba hand\b(?!-)/i, 'write "manually"'],
];

/** By prettier, a block comment stands first in its line, after a bracket or after a space. */
const block = /(?<=^|[\s({[,])\/\*[\s\S]*?\*\//g;
/** Lines of `//` that follow one another are one comment: a phrase may be wrapped. */
const lines = /(?<=^|\s)\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g;

/** Texts of the comments, each in one line. */
function commentsOf(source: string): string[] {
  const code = source.replaceAll(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, (quoted) =>
    /(?:^|\s)\/[/*]/.test(quoted.slice(1)) ? "''" : quoted,
  );
  return [...code.matchAll(block), ...code.replaceAll(block, '').matchAll(lines)].map(([comment]) =>
    comment
      .replaceAll(/^[ \t]*(?:\/\/|\/?\*+\/?)|\*\/$/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

function problemsIn(source: string): string[] {
  return commentsOf(source).flatMap((comment) =>
    words.flatMap(([word, advice]) => {
      const [found] = word.exec(comment) ?? [];
      return found === undefined ? [] : [`"${found}" of "${comment}": ${advice}`];
    }),
  );
}

const isGenerated = (file: string) => /^protos\/gen\/|\/generated[/.]/.test(file);

/** Folders with code: all of the root but those of other kinds. */
function codeFiles(): string[] {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|^(?:node_modules|docs|dist)$/.test(entry.name))
    .map(({ name }) => name);
  const top = readdirSync(root).filter((name) => /\.(?:ts|mjs)$/.test(name));
  return [
    ...top,
    ...folders.flatMap((folder) => ['.ts', '.tsx', '.mjs', '.proto'].flatMap((ending) => filesBelow(folder, ending))),
  ].filter((file) => !isGenerated(file));
}

describe('words of comments', () => {
  it('names persons, processes and states by the terms of the field', () => {
    const files = codeFiles().filter((file) => !file.endsWith('comment-words.test.ts'));
    expect(files).to.have.length.of.at.least(1_500);
    const problems = files.flatMap((file) => problemsIn(readText(file)).map((problem) => `${file}: ${problem}`));
    expect(problems).to.deep.equal([]);
  });

  for (const [planted, word] of [
    ['/** Somebody who may read. */', 'Somebody'],
    ['/* The token of a stranger. */', 'stranger'],
    ['/**\n * A copy that is under\n * way.\n */', 'under way'],
    ['// The node is away.', 'is away'],
    ['const count = 0; // told by the engine', 'told'],
    ["const url = 'https://example.com'; // looked at once", 'looked at'],
    ['  // Removes what is\n  // left.', 'what is left'],
    ['  {/* Renders the list afresh. */}', 'afresh'],
    ['  // Repaired by a hand.', 'a hand'],
    ['import x from "x";\n\nmessage A {\n  // Whatever is there.\n  string b = 1;\n}', 'Whatever'],
  ] as const) {
    it(`refuses "${planted}"`, () => {
      expect(problemsIn(planted)).to.have.length(1);
      expect(problemsIn(planted)[0]).to.match(new RegExp(`^"${word}" of `));
    });
  }

  for (const allowed of [
    "const message = 'nobody may read this';",
    "const text = ' // somebody';",
    "const glob = 'services/*/src/**'; tell();",
    '/** The installation of a handler. */',
    '// A path away from the root.',
    'const user = `http://${nobody}`;',
  ]) {
    it(`allows "${allowed}"`, () => expect(problemsIn(allowed)).to.deep.equal([]));
  }
});
