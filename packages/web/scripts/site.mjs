// Builds the web console: hashed files in dist/site, each beside its compressed forms. Fails when one is over its budget.
import { existsSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = fileURLToPath(new URL('../', import.meta.url));
const client = fileURLToPath(new URL('../../client/src', import.meta.url));
const cron = fileURLToPath(new URL('../../kit/src/cron', import.meta.url));
export const siteDirectory = path.join(root, 'dist', 'site');
const stamp = path.join(siteDirectory, '.complete');

/** Whether a source is newer than the built files. */
export function isSiteStale() {
  if (!existsSync(stamp)) return true;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = ['src', 'scripts'].flatMap((name) => below(path.join(root, name)));
  const files = [...sources, path.join(root, 'index.html'), ...below(client), ...below(cron)];
  return files.some((file) => statSync(file).mtimeMs > builtAt);
}

function below(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Build into dist/site. The stamp gets the time of the start: a source that changes meanwhile is built again next time. */
export async function buildSite() {
  const startedAt = new Date();
  rmSync(stamp, { force: true });
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [react(), listFiles()],
    // From source, so that neither need be compiled before.
    resolve: {
      alias: { '@panel/client': path.join(client, 'index.ts'), '@panel/kit/cron': path.join(cron, 'index.ts') },
    },
    build: {
      outDir: siteDirectory,
      emptyOutDir: true,
      target: 'es2023',
      // Browsers that know light-dark(): what would replace it does not nest.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: chunkOf, debugName: 'first pages' }],
          },
        },
      },
      manifest: 'manifest.json',
    },
  });
  await Promise.all(below(siteDirectory).map(compress));
  checkBudgets();
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
}

const boot = 'src/boot.ts';
const list = 'src/pages/servers.tsx';
const server = 'src/pages/server/server.tsx';

/** The module of each part of the console, by the first part of its addresses. */
const areas = {
  '': list,
  servers: server,
  wall: 'src/pages/consoles.tsx',
  account: 'src/pages/account.tsx',
  store: 'src/pages/store.tsx',
  billing: 'src/pages/billing.tsx',
  staff: 'src/pages/staff.tsx',
  'sign-in': 'src/pages/sign-in.tsx',
};
const languages = { de: 'src/i18n/texts/common/de.json', ar: 'src/i18n/texts/common/ar.json' };
const consoles = new Set([areas.servers, areas.wall]);

/**
 * Few files for the first pages, because browsers ask for six at a time: the boot script, what every page or the list of servers
 * needs, and what only consoles need. What else pages share is split as usual.
 */
function chunkOf(id, graph) {
  const isIn = (module) => closureOf(path.join(root, module), graph).has(id);
  if (isIn(boot) || id.includes('rolldown/runtime')) return 'boot';
  // Each page is a chunk of its own, whose size the manifest states.
  if (Object.values(areas).some((module) => id === path.join(root, module))) return null;
  const users = Object.values(areas).filter(isIn);
  if (isIn('src/main.tsx')) return 'main';
  // What it alone needs is in its chunk.
  if (isIn(list)) return users.length > 1 ? 'main' : null;
  if (!isIn(server)) return null;
  return users.some((module) => !consoles.has(module)) ? 'main' : 'console';
}

const closures = new Map();

/** A module with all that it imports. */
function closureOf(id, graph) {
  const known = closures.get(id);
  if (known) return known;
  const closure = new Set([id]);
  for (const module of closure) for (const next of graph.getModuleInfo(module)?.importedIds ?? []) closure.add(next);
  closures.set(id, closure);
  return closure;
}

/** Passes the files of each part of the console and of each language to the boot script. */
function listFiles() {
  return {
    name: 'list-files',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) => {
        const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
        const filesOf = (chunk, seen = new Set()) => {
          seen.add(chunk.fileName);
          for (const style of chunk.viteMetadata.importedCss) seen.add(style);
          for (const name of chunk.imports) if (!seen.has(name)) filesOf(bundle[name], seen);
          return seen;
        };
        const first = filesOf(chunks.find(({ name }) => name === 'main'));
        const files = Object.entries({ ...areas, ...languages }).map(([part, module]) => {
          const page = chunks.find(({ facadeModuleId }) => facadeModuleId === path.join(root, module));
          return [part, [...filesOf(page)].filter((name) => !first.has(name)).map((name) => `/${name}`)];
        });
        const attrs = { name: 'panel-files', content: JSON.stringify(Object.fromEntries(files)) };
        return [{ tag: 'meta', attrs, injectTo: 'head' }];
      },
    },
  };
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function compress(file) {
  if (!/\.(html|js|css|svg|webmanifest)$/.test(file)) return;
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${file}.br`, await brotli(content, { params }));
  writeFileSync(`${file}.gz`, await zip(content, { level: 9 }));
}

/**
 * Kilobytes, gzip, of what a page loads: its chunks with everything they import. Without `base` that is all; with it, what is
 * loaded on top of those pages.
 */
const entry = 'main';
const budgets = [
  { name: 'first page', chunks: [entry, list], base: [], limit: 120 },
  { name: 'console', chunks: [entry, server, 'src/charts/graphs.tsx'], base: [], limit: 151 },
  {
    name: 'editor',
    chunks: ['src/files/editor-dialog.tsx'],
    base: [entry, server, 'src/files/files-page.tsx'],
    limit: 125,
  },
  { name: 'staff', chunks: ['src/pages/staff.tsx'], base: [entry], limit: 60 },
];
const cssLimit = 15;

/** Sizes by page. */
export function measureSite() {
  const manifest = JSON.parse(readFileSync(path.join(siteDirectory, 'manifest.json'), 'utf8'));
  // It is no module, and has no key of one.
  const main = Object.keys(manifest).find((key) => manifest[key].name === entry);
  const keyOf = (chunk) => (chunk === entry ? main : chunk);
  const closure = (key, seen = new Set()) => {
    if (seen.has(key) || manifest[key] === undefined) return seen;
    seen.add(key);
    for (const next of manifest[key].imports ?? []) closure(next, seen);
    return seen;
  };
  const kilobytes = (files) =>
    [...new Set(files)].reduce((sum, file) => sum + statSync(path.join(siteDirectory, `${file}.gz`)).size, 0) / 1000;
  const sizes = budgets.map(({ name, chunks, base, limit }) => {
    const loaded = new Set(base.flatMap((chunk) => [...closure(keyOf(chunk))]));
    const keys = chunks.flatMap((chunk) => [...closure(keyOf(chunk))]).filter((key) => !loaded.has(key));
    return { name, limit, size: kilobytes(keys.map((key) => manifest[key].file)) };
  });
  const styles = Object.values(manifest).flatMap(({ css }) => css ?? []);
  return [...sizes, { name: 'styles', limit: cssLimit, size: kilobytes(styles) }];
}

function checkBudgets() {
  const over = measureSite().filter(({ size, limit }) => size > limit);
  if (over.length === 0) return;
  const lines = over.map(({ name, size, limit }) => `${name}: ${size.toFixed(1)} kB of ${limit} kB`);
  throw new Error(`the web console is over its size budget (gzip):\n${lines.join('\n')}`);
}
