// npm run build:programs: one file for each process of the panel, from its compiled modules and what they import. Some
// 2,000 modules cost a second of processor time at each start of a process, most of it for finding them.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Below a workspace's `dist`: a file of `src` becomes one beside it. */
const programs = [
  ['gateway', 'main.js'],
  ['gateway', 'threads/json-thread.js'],
  ['services/identity', 'main.js'],
  ['services/servers', 'main.js'],
  ['services/files', 'main.js'],
  ['services/files', 'config-files/rewrite-thread.js'],
  ['services/files', 'jail/new-file-thread.js'],
  ['services/files', 'listings/listing-thread.js'],
  ['services/files', 'searches/search-thread.js'],
  ['services/billing', 'main.js'],
  ['services/billing', 'bank/statement-thread.js'],
  ['services/billing', 'documents/pdf-thread.js'],
  ['services/admin', 'main.js'],
].map(([folder, file]) => ({
  source: `${folder}/dist/src/${file}`,
  program: `${folder}/dist/${path.basename(file)}`,
}));
/** Native code, packages with data files of their own, and optional parts of others. */
const external = ['argon2', 'cpu-features', 'fontkit', 'pdfkit', 'subset-font', '*.node'];
/** CommonJS modules that read files beside them. */
const besideFiles =
  /node_modules\/(?:@grpc\/grpc-js|@grpc\/reflection|dockerode|grpc-health-check|ioredis|pino|ssh2|thread-stream)\/.*\.js$/;
/** What CommonJS modules have and modules of a bundle lack. */
const banner = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/** Bundles again what is older than one of its sources. Returns the number of programs. */
export async function bundleStale() {
  const stale = programs.filter(isStale);
  if (stale.length === 0) return 0;
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    // In one go: what programs share is read once.
    entryPoints: stale.map(({ source, program }) => ({ in: source, out: program.replace(/\.js$/, '') })),
    outdir: '.',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external,
    // Its other form hands `require` on, which no bundler follows.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: banner },
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
    plugins: [ownFolders],
  });
  for (const { program } of stale) {
    check(program);
    writeFileSync(path.join(root, sourcesOf(program)), JSON.stringify(Object.keys(metafile.outputs[program].inputs)));
  }
  return stale.length;
}

/** Modules keep the folder from which they read their files. */
const ownFolders = {
  name: 'own-folders',
  setup({ onLoad }) {
    onLoad({ filter: besideFiles }, ({ path: file }) => {
      const specifier = JSON.stringify(file.slice(file.lastIndexOf('node_modules/') + 'node_modules/'.length));
      const source = readFileSync(file, 'utf8');
      if (!source.includes('__dirname')) return undefined;
      const folder = `const ownFolder = require('node:path').dirname(require.resolve(${specifier}));`;
      return { contents: `${folder} ${source.replaceAll(/\b__dirname\b/g, 'ownFolder')}`, loader: 'js' };
    });
  },
};

/** Throws for what would fail when the program runs: a file beside a module, or a module that was not followed. */
function check(program) {
  const lines = readFileSync(path.join(root, program), 'utf8').split('\n');
  const find = (pattern) => lines.find((line) => pattern.test(line) && !line.includes('typeof __'));
  const beside = find(/[^.\w]__(?:dirname|filename)\b/);
  if (beside) throw new Error(`${program} has a module that reads files beside it: ${beside.trim().slice(0, 120)}`);
  // Native parts of packages are optional, and not built.
  const missed = find(/\b_*require\d*\(["']\.{1,2}\/[^"']*(?<!\.node)["']/);
  if (missed) throw new Error(`${program} lacks a module that it requires: ${missed.trim().slice(0, 120)}`);
}

/** Whether it is missing, or older than a source, an installed package or this script. */
function isStale({ program }) {
  const list = path.join(root, sourcesOf(program));
  if (!existsSync(list) || !existsSync(path.join(root, program))) return true;
  const sources = [...JSON.parse(readFileSync(list, 'utf8')), 'scripts/bundle.mjs', 'node_modules/.package-lock.json'];
  const madeAt = changedAt(program);
  return sources.some((file) => changedAt(file) > madeAt);
}

/** Names of all files that are in a program. */
function sourcesOf(program) {
  return program.replace(/\.js$/, '.sources.json');
}

/** A file that is gone has changed. */
function changedAt(file) {
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleStale();
