// Compiles what a running panel needs without type checks: `npm start` on a fresh clone waits for this and not for tsc,
// which spends nine tenths of its time on checks and declarations. `npm run build` and `npm test` check everything.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** Directories of a project that are part of the running panel and its demo; tests and benchmarks are not. */
const sourceDirectories = ['src', 'gen', 'demo'];
const notRunning = new Set(['bench', 'test/e2e', 'test/faults', 'test/stories', 'test/repository', 'packages/web']);

/**
 * Writes JavaScript for every source that is newer than its output, project by project as the root tsconfig.json lists
 * them. Returns the number of files. Throws when a source is no TypeScript.
 */
export async function transpileStale(root) {
  const { references } = JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8'));
  const projects = references.map((reference) => reference.path).filter((project) => !notRunning.has(project));
  const counts = await Promise.all(projects.map(async (project) => transpileProject(root, project)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function transpileProject(root, project) {
  const directory = path.join(root, project);
  const entryPoints = sourceDirectories.flatMap((name) => staleSources(directory, name));
  if (entryPoints.length === 0) return 0;
  await build({
    entryPoints,
    outbase: directory,
    outdir: path.join(directory, 'dist'),
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    sourcemap: true,
    logLevel: 'error',
    tsconfig: path.join(root, 'tsconfig.base.json'),
  });
  return entryPoints.length;
}

function staleSources(directory, name) {
  const source = path.join(directory, name);
  if (!existsSync(source)) return [];
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .filter((file) => isStale(path.join(source, file), path.join(directory, 'dist', name, file.replace(/ts$/, 'js'))))
    .map((file) => path.join(source, file));
}

function isStale(source, output) {
  return !existsSync(output) || statSync(output).mtimeMs < statSync(source).mtimeMs;
}
