import { expect } from 'chai';
import { filesBelow, readText } from './files.js';

/*
 * `npm start`, `npm test` and `npm run demo` work on an older Node: `scripts/node.mjs` fetches Node 24 there. So scripts of
 * package.json run programs through it. What it does is tested in packages/stack/test/launch/older-node.test.ts.
 */

type Scripts = Readonly<Record<string, string>>;

const entries = ['start', 'test', 'demo'];

/** Runs on any Node, before the dependencies are installed. */
const installs = 'node scripts/install.mjs';

function scriptsOf(manifest: string): Scripts {
  const { scripts = {} } = JSON.parse(readText(manifest)) as { readonly scripts?: Scripts };
  return scripts;
}

/** Commands of the root and the `test` scripts of workspaces that start on the Node of the shell. */
function problemsIn(scripts: Scripts, names = Object.keys(scripts)): string[] {
  const missing = names.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `${name} is missing`);
  const direct = names.flatMap((name) =>
    (scripts[name] ?? '')
      .split(/\s*(?:&&|\|\||;)\s*/)
      .filter((command) => /^(?:\w+=\S+ )*(?:node|mocha|npx|tsx)\b/.test(command) && command !== installs)
      .filter((command) => !/^node (?:\.\.\/)*scripts\/node\.mjs \S/.test(command))
      .map((command) => `${name} runs "${command}"`),
  );
  return [...missing, ...direct];
}

/** Entries whose whole command is one program on the fetched Node. */
function indirect(scripts: Scripts): string[] {
  return entries.filter((name) => !/^node scripts\/node\.mjs scripts\/\w+\.mjs$/.test(scripts[name] ?? ''));
}

describe('scripts of package.json', () => {
  it('runs start, test and demo on the Node of scripts/node.mjs', () => {
    expect(indirect(scriptsOf('package.json'))).to.deep.equal([]);
  });

  it('runs every program of the root on the Node of scripts/node.mjs', () => {
    expect(problemsIn(scriptsOf('package.json'))).to.deep.equal([]);
  });

  it('runs the tests of every workspace on the Node of scripts/node.mjs', () => {
    const manifests = ['gateway', 'packages', 'protos', 'services', 'test'].flatMap((folder) =>
      filesBelow(folder, 'package.json'),
    );
    const tested = manifests.filter((manifest) => Object.hasOwn(scriptsOf(manifest), 'test'));
    expect(tested).to.have.length.of.at.least(20);
    const problems = tested.flatMap((manifest) =>
      problemsIn(scriptsOf(manifest), ['test']).map((problem) => `${manifest}: ${problem}`),
    );
    expect(problems).to.deep.equal([]);
  });

  for (const planted of [
    'node scripts/start.mjs',
    "mocha 'dist/*.test.js'",
    'npx mocha',
    'npm run build && node bench/dist/main.js',
    'CI=true node scripts/start.mjs',
    'node scripts/node.mjs',
  ]) {
    it(`refuses "${planted}"`, () => {
      const scripts = { start: planted, test: 'node scripts/node.mjs scripts/test.mjs' };
      const command = planted.split(' && ').at(-1);
      expect(problemsIn(scripts)).to.deep.equal([`start runs "${command}"`]);
      expect(indirect(scripts)).to.deep.equal(['start', 'demo']);
    });
  }

  for (const allowed of [
    'node scripts/install.mjs',
    "node ../../scripts/node.mjs mocha 'dist/*.test.js'",
    'tsc --build',
  ]) {
    it(`allows "${allowed}"`, () => expect(problemsIn({ test: allowed })).to.deep.equal([]));
  }
});
