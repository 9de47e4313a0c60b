import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';

/** What no import names all the same. */
const exempt = new Set([
  // Called by mocha, which is told the file.
  'mochaGlobalSetup',
  'mochaGlobalTeardown',
  // Part of a type that the compiler writes out in a declaration of another file.
  'AppendParts',
  'AttemptStore',
  'EmbeddedOutbox',
  'LoginRecord',
  'OptionalField',
  'ReportStore',
  'Rotation',
  'Settable',
]);

const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum|let) ([\w$]+)/gm;

/** Names that a file exports and no other file mentions, as `file: name`. */
function unusedExports(sources: ReadonlyMap<string, string>): string[] {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) {
      files.set(word, (files.get(word) ?? new Set()).add(file));
    }
  }
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(exported)]
      .flatMap(([, name = '']) => name)
      .filter((name) => !exempt.has(name) && files.get(name)?.size === 1)
      .map((name) => `${file}: ${name}`),
  );
}

describe('exports', () => {
  it('names no export that no other file mentions', () => {
    const folders = [...workspaces(), 'test', 'bench', 'examples', 'scripts'];
    const endings = ['.ts', '.tsx', '.mjs'];
    // The client is for programs that are not in this repository; its sources are in part generated.
    const own = folders.flatMap((folder) => endings.flatMap((ending) => filesBelow(folder, ending)));
    const sources = new Map(own.map((file) => [file, readText(file)]));
    expect(sources.size).to.be.at.least(1_000);
    const unused = unusedExports(sources).filter(
      (each) => /\/src\//.test(each) && !/^packages\/client|\/gen\//.test(each),
    );
    expect(unused).to.deep.equal([]);
  });

  it('finds an export that only its own file mentions', () => {
    const sources = new Map([
      ['a.ts', 'export interface Used {}\nexport function lonely(): Used { return {}; }\n'],
      ['b.ts', "import type { Used } from './a.js';\nlet used: Used;\n"],
    ]);
    expect(unusedExports(sources)).to.deep.equal(['a.ts: lonely']);
  });
});
