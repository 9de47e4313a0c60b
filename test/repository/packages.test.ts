import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';
import { root } from './root.js';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly scripts?: Versions;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly devDependencies?: Versions;
}

interface Import {
  readonly file: string;
  readonly package: string;
  readonly isType: boolean;
}

/** Of the web console, which is bundled, and of the tools of tests nothing is installed with the panel. */
const notInstalled = new Set(['packages/web', 'packages/testing']);
const development = ['test/e2e', 'test/faults', 'test/repository', 'bench', 'examples'];
/** Declared for their programs, which other tools start. */
const programs = new Set([
  'lerna',
  'mocha',
  'oxlint',
  'oxlint-tsgolint',
  'prettier',
  'typescript',
  '@bufbuild/buf',
  'ts-proto',
]);
/** Read by a name that is put together. */
const assembled = /^@(?:expo-google-fonts|fontsource-variable)\//;
/** Types of the whole project, by tsconfig.base.json. */
const ambientTypes = new Set(['@types/node', '@types/mocha']);

const endings = ['.ts', '.tsx', '.mjs'];
const specifiers =
  /^\s*(?:import|export)(?<type>\s+type)?\s(?:[^'"`;()]*?\sfrom\s+)?['"](?<from>[^'"]+)['"]|\b(?:import|require|import\.meta\.resolve)\(\s*['"](?<call>[^'"]+)['"]/gm;

const manifestOf = (folder: string) => JSON.parse(readText(path.join(folder, 'package.json'))) as Manifest;
const rootManifest = manifestOf('.');
const sourcesOf = (folder: string) =>
  endings.flatMap((ending) => filesBelow(folder, ending)).filter((file) => !file.endsWith('.d.ts'));

function importsOf(folder: string, own: string): Import[] {
  return sourcesOf(folder).flatMap((file) =>
    [...readText(file).matchAll(specifiers)]
      .map(({ groups = {} }) => ({
        name: groups['from'] ?? groups['call'] ?? '',
        isType: groups['type'] !== undefined,
      }))
      .filter(({ name }) => /^(?:@[\w-]+\/)?[a-z][\w.-]*(?:\/|$)/.test(name) && !isBuiltin(name))
      .map(({ name, isType }) => ({
        file,
        isType,
        package: name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      }))
      .filter((found) => found.package !== own),
  );
}

/** Whether a process of an installation loads the file. */
function isProduct(folder: string, file: string): boolean {
  const inside = path.relative(folder, file);
  return (
    /^(?:src|gen)\//.test(inside) &&
    !inside.startsWith('src/testing/') &&
    !notInstalled.has(folder) &&
    !development.includes(folder)
  );
}

describe('package.json', () => {
  const folders = [...workspaces(), ...development];

  for (const folder of folders) {
    const { name, dependencies, optionalDependencies, devDependencies, scripts } = manifestOf(folder);
    const installed = { ...dependencies, ...optionalDependencies };

    it(`declares what ${folder} imports`, () => {
      const undeclared = importsOf(folder, name).filter((found) => {
        if (found.package in installed) return false;
        if (isProduct(folder, found.file) && !found.isType) return true;
        return !(found.package in { ...devDependencies, ...rootManifest.devDependencies });
      });
      expect(undeclared).to.deep.equal([]);
    });

    it(`declares only what ${folder} uses`, () => {
      expect(unused(folder, { ...installed, ...devDependencies }, Object.values(scripts ?? {}))).to.deep.equal([]);
    });
  }

  it('declares what scripts import', () => {
    // As a tool of the operator, it takes what packages/rpc has.
    const found = importsOf('scripts', rootManifest.name).filter(({ file }) => file !== 'scripts/grpc.mjs');
    const declared = { ...rootManifest.devDependencies };
    expect(found.filter((one) => !(one.package in declared))).to.deep.equal([]);
  });

  it('declares for scripts what a start builds with, which an image does not install', () => {
    const tools = ['protos', 'packages/web'].flatMap((folder) => Object.keys(manifestOf(folder).devDependencies ?? {}));
    const isBuiltWith = (name: string) => !name.startsWith('@types/') && !name.startsWith('@panel/');
    expect(manifestOf('scripts').optionalDependencies).to.have.all.keys('esbuild', ...tools.filter(isBuiltWith));
  });

  it('gives one range for a package in all files', () => {
    const ranges = new Map<string, Set<string>>();
    for (const folder of ['.', 'scripts', ...folders]) {
      const { dependencies, optionalDependencies, devDependencies } = manifestOf(folder);
      for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }))
        ranges.set(name, (ranges.get(name) ?? new Set()).add(range));
    }
    const several = [...ranges]
      .filter(([, found]) => found.size > 1)
      .map(([name, found]) => `${name}: ${[...found].join(', ')}`);
    expect(several).to.deep.equal([]);
  });
});

/** Declared packages that no file names. Types count with the package that they describe. */
function unused(folder: string, declared: Versions, scripts: readonly string[]): string[] {
  const text = [...sourcesOf(folder).map(readText), ...scripts].join('\n');
  return Object.keys(declared).filter((name) => {
    if (programs.has(name) || ambientTypes.has(name) || assembled.test(name)) return false;
    const named = name.replace(/^@types\//, '').replace('__', '/');
    return !['"', "'", '`'].some(
      (quote) => text.includes(`${quote}${named}${quote}`) || text.includes(`${quote}${named}/`),
    );
  });
}

describe('the production tree', () => {
  /** Two versions each, which our dependencies bring and of which neither works for both. */
  const twice = [
    'base64-js',
    'cliui',
    'cluster-key-slot',
    'content-type',
    'depd',
    'http-errors',
    'mime-db',
    'mime-types',
    'p-limit',
    'pako',
    'statuses',
    'wrap-ansi',
    'y18n',
    'yargs',
    'yargs-parser',
    'yocto-queue',
  ];
  let installed: Map<string, Set<string>>;

  let directory: string;

  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-production-'));
    installed = productionTree();
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('installs everything once that is not listed', () => {
    const several = [...installed].filter(([, versions]) => versions.size > 1).map(([name]) => name);
    expect(several.toSorted()).to.deep.equal(twice);
  });

  it('installs no embedded engine and no compiler in the image', () => {
    const [, command = ''] = /npm (ci --omit=dev[\s\S]*?)\n\s*&&/.exec(readText('Dockerfile')) ?? [];
    const args = command.split(/[\s\\]+/);
    for (const folder of processes()) expect(args).to.include(`--workspace=${folder}`);
    const { stdout, stderr, status } = spawnSync('npm', [...args, '--dry-run'], {
      cwd: emptyCheckout(),
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    const names = [...stdout.matchAll(/^add (\S+)/gm)].map(([, name]) => name);
    expect(names).to.include('@panel/kit').and.include('dockerode');
    expect(
      names.filter((name) =>
        /^@(?:0q|bufbuild\/buf)|^(?:mocha|typescript|esbuild|lerna|ts-proto|vite|react)$/.test(name ?? ''),
      ),
    ).to.deep.equal([]);
  });

  /** A copy of the manifests without node_modules, so that everything is added. */
  function emptyCheckout(): string {
    const folders = ['.', 'scripts', ...workspaces(), ...development];
    const files = ['.npmrc', 'package-lock.json', ...folders.map((folder) => path.join(folder, 'package.json'))];
    for (const file of files) cpSync(path.join(root, file), path.join(directory, file));
    return directory;
  }

  function processes(): string[] {
    return ['gateway', ...readdirSync(path.join(root, 'services')).map((name) => `services/${name}`)];
  }

  /** Names with their versions, as package-lock.json says. */
  function productionTree(): Map<string, Set<string>> {
    const args = ['ls', '--package-lock-only', '--omit=dev', '--all', '--parseable', '--long'];
    const workspaceArgs = processes().map((folder) => `--workspace=${folder}`);
    const { stdout, stderr, status } = spawnSync('npm', [...args, ...workspaceArgs], { cwd: root, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    const found = new Map<string, Set<string>>();
    for (const line of stdout.trim().split('\n')) {
      const [, name = '', version = ''] = /:(@?[^@:]+)@([^:]+)/.exec(line) ?? [];
      found.set(name, (found.get(name) ?? new Set()).add(version));
    }
    return found;
  }
});
