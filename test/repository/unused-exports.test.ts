import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';

/** What no import names all the same. */
const exempt = new Set([
  // Called by mocha, which is given the file.
  'mochaGlobalSetup',
  'mochaGlobalTeardown',
  'mochaHooks',
  // Read by its name in reasons.test.ts.
  'endpointReasons',
  // Part of a type that the compiler writes out in a declaration of another file.
  'AppendParts',
  'EmbeddedOutbox',
  'LoginRecord',
  'OptionalField',
  'ReportStore',
  'Resource',
  'Rotation',
  'Settable',
]);

const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum|let) ([\w$]+)/gm;
const listed = /(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from/g;
/** With what the imported module is asked for. */
const later = /\bimport\([^;]{0,300}/g;
const destructured = /const \{([^}=]*)\} =\s*await import\(/g;

/** Names that a file takes from others. */
function importedNames(text: string): string[] {
  const lists = [listed, destructured].flatMap((pattern) => [...text.matchAll(pattern)].map(([, names = '']) => names));
  const names = lists
    .flatMap((list) => list.split(','))
    .map((part) => /^(?:type )?([\w$]+)/.exec(part.trim())?.[1] ?? '');
  const spaces = [...text.matchAll(/import \* as ([\w$]+) from/g)].flatMap(([, space = '']) =>
    [...text.matchAll(new RegExp(`\\b${space}\\.([\\w$]+)`, 'g'))].map(([, member = '']) => member),
  );
  const asked = text.match(later)?.join(' ') ?? '';
  return [...names, ...spaces, ...(asked.match(/[\w$]+/g) ?? [])];
}

/** Names that a file exports and no file imports, as `file: name`. */
function unusedExports(sources: ReadonlyMap<string, string>): string[] {
  const imported = new Set([...sources.values()].flatMap(importedNames));
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(exported)]
      .flatMap(([, name = '']) => name)
      .filter((name) => !exempt.has(name) && !imported.has(name))
      .map((name) => `${file}: ${name}`),
  );
}

describe('exports', () => {
  it('names no export that no file imports', () => {
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

  it('finds an export that no file imports, though others have the same word', () => {
    const sources = new Map([
      ['a.ts', 'export interface Used {}\nexport function lonely(): Used { return {}; }\nexport class Page {}\n'],
      ['b.ts', "import { type Used as Other } from './a.js';\nconst lonely = 1;\n"],
      ['c.ts', "const page = import('./a.js').then(({ Page }) => Page);\n"],
      ['d.ts', "import * as all from './e.js';\nall.member;\n"],
      ['e.ts', 'export const member = 1;\nexport const other = 2;\n'],
    ]);
    expect(unusedExports(sources)).to.deep.equal(['a.ts: lonely', 'e.ts: other']);
  });
});
