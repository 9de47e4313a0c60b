// Node of a major version from the npm package that carries it, in .cache/, where `npm ci` leaves it.
// `node scripts/fetch-node.mjs 22` prints the directory of the program.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = path.join(root, '.cache');
const hourMs = 3_600_000;

/**
 * The directory that holds `node` of this major version; fetched when it is not there. Two fetches at once both succeed, and an
 * interrupted one leaves nothing that is used. Throws when the registry does not answer or the program does not run here.
 */
export function fetchNode(major) {
  const target = path.join(cache, `node-${major}`);
  const bin = path.join(target, 'bin');
  if (existsSync(path.join(bin, 'node'))) return bin;
  mkdirSync(cache, { recursive: true });
  removeInterrupted();
  const download = mkdtempSync(path.join(cache, 'fetching-'));
  try {
    const wanted = `${packageName()}@${major}`;
    const options = [
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    execFileSync('npm', ['install', '--prefix', download, ...options, wanted], { stdio: ['ignore', 'ignore', 'pipe'] });
    const fetched = path.join(download, 'node_modules', packageName());
    execFileSync(path.join(fetched, 'bin', 'node'), ['--version'], { stdio: ['ignore', 'ignore', 'pipe'] });
    publish(fetched, target);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
  return bin;
}

/** Moves the complete package to its place, unless another process has been faster. */
function publish(fetched, target) {
  try {
    renameSync(fetched, target);
  } catch (error) {
    if (!existsSync(path.join(target, 'bin'))) throw error;
  }
}

/** What a killed fetch has left: a fetch ends within minutes. */
function removeInterrupted() {
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith('fetching-'))) {
    const directory = path.join(cache, name);
    const { mtimeMs } = statSync(directory, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > hourMs) rmSync(directory, { recursive: true, force: true });
  }
}

/** As the npm package `node` names them. */
function packageName() {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return [prefix, process.platform, process.arch].join('-');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${fetchNode(process.argv[2])}\n`);
