// Builds the web console: hashed files in dist/site, each beside its compressed forms. Fails when one is over its budget.
import { existsSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { directImports } from './direct-imports.mjs';
import { smallIcons } from './small-icons.mjs';

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
    plugins: [react(), directImports(packagesWithIndex), smallIcons(), withoutUnreached(), listFiles()],
    // From source, so that neither need be compiled before.
    resolve: {
      alias: {
        '@panel/client': path.join(client, 'index.ts'),
        '@panel/kit/cron': path.join(cron, 'index.ts'),
        // React has had it since 18.
        'use-sync-external-store/shim/index.js': 'react',
      },
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

const packagesWithIndex = ['lucide-react', '@tanstack/react-query', '@tanstack/query-core'];

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
/** What is loaded beside the module of a part at once. */
const besides = { staff: ['src/app/staff-navigation.tsx'] };
/** Those that are not in the modules themselves. */
const languages = ['de', 'ar'];
const texts = 'src/i18n/texts';
const consoles = new Set([areas.servers, areas.wall]);

/**
 * Few files for the first pages, because browsers ask for six at a time: the boot script, what every page or the list of servers
 * needs, what only consoles need, and what these share with other pages. Icons of other pages are one file, what else they share
 * is split as usual.
 */
function chunkOf(id, graph) {
  const isIn = (module) => closureOf(path.join(root, module), graph).has(id);
  if (isIn(boot) || id.includes('rolldown/runtime')) return 'boot';
  // Each page is a chunk of its own, whose size the manifest states.
  if (Object.values(areas).some((module) => id === path.join(root, module))) return null;
  if (isIn('src/main.tsx')) return 'main';
  if (isIn(list)) return isOfListAlone(id, graph) ? null : 'main';
  if (isIn(server)) {
    const users = Object.values(areas).filter(isIn);
    return users.every((module) => consoles.has(module)) ? 'console' : 'shared';
  }
  return id.includes('/lucide-react/') && graph.getModuleInfo(id).importers.length > 1 ? 'icons' : null;
}

/** The same module through all who import it. */
function isOfListAlone(id, graph) {
  if (id === path.join(root, list)) return true;
  const { importers } = graph.getModuleInfo(id);
  return importers.length > 0 && importers.every((importer) => isOfListAlone(importer, graph));
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

/** What libraries reach and this console does not. An update that imports more from such a module fails the build. */
const unreached = [
  // Console sessions of the page are its own, in a worker.
  { module: /\/client\/src\/console\.ts$/, code: 'export const openConsole = undefined;' },
  // Lists have pages.
  { module: /\/query-core\/.+\/infiniteQueryBehavior\.js$/, code: 'export const infiniteQueryBehavior = undefined;' },
];

function withoutUnreached() {
  return { name: 'without-unreached', load: (id) => unreached.find(({ module }) => module.test(id))?.code ?? null };
}

/**
 * Passes to the boot script the files of each part of the console ("billing"), of each language ("de") and of the texts of a part
 * in a language ("billing.de").
 */
function listFiles() {
  let graph;
  return {
    name: 'list-files',
    buildEnd() {
      graph = this;
    },
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
        const filesFor = (...modules) => {
          const ids = new Set(modules.map((module) => path.join(root, module)));
          const names = chunks.filter(({ facadeModuleId }) => ids.has(facadeModuleId)).map((chunk) => filesOf(chunk));
          return [...new Set(names.flatMap((files) => [...files]))].filter((name) => !first.has(name));
        };
        const parts = Object.entries(areas).flatMap(([part, module]) => [
          [part, filesFor(module, ...(besides[part] ?? []))],
          ...languages.map((language) => [
            `${part}.${language}`,
            filesFor(...textsOf(module, graph).map((area) => `${texts}/${area}/${language}.json`)),
          ]),
        ]);
        const all = [
          ...parts,
          ...languages.map((language) => [language, filesFor(`${texts}/common/${language}.json`)]),
        ];
        const known = all.filter(([, names]) => names.length > 0);
        const addresses = known.map(([part, names]) => [part, names.map((name) => `/${name}`)]);
        const attrs = { name: 'panel-files', content: JSON.stringify(Object.fromEntries(addresses)) };
        return [{ tag: 'meta', attrs, injectTo: 'head' }];
      },
    },
  };
}

/** The areas of texts that a page shows at once. */
function textsOf(module, graph) {
  const areaOf = (id) => /\/i18n\/texts\/([\w-]+)\/[\w-]+-texts\.ts$/.exec(id)?.[1] ?? 'common';
  const found = new Set([...closureOf(path.join(root, module), graph)].map(areaOf));
  return [...found].filter((area) => area !== 'common');
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
  { name: 'first page', chunks: [entry, list], base: [], limit: 104 },
  { name: 'console', chunks: [entry, server, 'src/charts/graphs.tsx'], base: [], limit: 143 },
  {
    name: 'editor',
    chunks: ['src/files/editor-dialog.tsx'],
    base: [entry, server, 'src/files/files-page.tsx'],
    limit: 125,
  },
  { name: 'staff', chunks: ['src/pages/staff.tsx'], base: [entry], limit: 60 },
];
const cssLimit = 9;

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
