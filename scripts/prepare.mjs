// First steps of `npm start` and `npm test`, from any state of a checkout: install, generate and compile what is missing.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Makes the checkout runnable, with one line per step: `isChecked` compiles everything with type checks, else only what a
 * running panel needs is transpiled. Exits the process with a message when that is not possible.
 */
export async function prepare({ isChecked }) {
  await install({ isChecked });
  // The web console is built from its sources alone.
  await Promise.all([buildPrograms(isChecked), buildConsole()]);
}

/** What package-lock.json names: two thirds of it are for checks and tests only. */
export async function install({ isChecked }) {
  process.chdir(root);
  if (isInstalled(isChecked)) return;
  // What it takes to build is optional, in scripts/package.json.
  const only = isChecked ? [] : ['--omit=dev'];
  await step('installing dependencies (npm ci)', npm, ['ci', ...only, '--no-audit', '--no-fund']);
}

async function buildPrograms(isChecked) {
  if (isGenerationDue()) await step('generating code from protos', npm, ['run', 'gen', '--silent']);
  const tsc = path.join('node_modules', 'typescript', 'bin', 'tsc');
  if (isChecked) await step('compiling what has changed', process.execPath, [tsc, '--build']);
  else await transpile();
  await bundlePrograms();
}

/** One file for each process whose modules have changed. */
async function bundlePrograms() {
  const startedAt = Date.now();
  const { bundleStale } = await import('./bundle.mjs');
  try {
    const count = await bundleStale();
    if (count > 0) say(`bundled ${count} programs in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    fail(`bundling the programs failed: ${String(error)}`);
  }
}

/** The web console, when one of its sources has changed. */
async function buildConsole() {
  const { buildSite, isSiteStale } = await import('../packages/web/scripts/site.mjs');
  if (!isSiteStale()) return;
  const startedAt = Date.now();
  await buildSite().catch((error) => fail(`building the web console failed: ${error.message}`));
  say(`built the web console in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** In this process, so that a checkout without changes costs no second start of Node. */
async function transpile() {
  const startedAt = Date.now();
  // Installed a moment ago, so that it cannot be imported before.
  const { transpileStale } = await import('./transpile.mjs');
  const count = await transpileStale(root).catch((error) => fail(`compiling failed: ${error.message}`));
  if (count > 0) say(`compiled ${count} files in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** One progress line. */
export function say(line) {
  process.stdout.write(`  ${line}\n`);
}

/** Ends the process with a message for the operator. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Runs a program to its end and passes on a signal that only this process got. Resolves with its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    const passOn = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, passOn);
    const done = () => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, passOn);
    };
    options.onSpawn?.(child);
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code, signal) => {
      done();
      resolve(signal === null ? code : 128);
    });
  });
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Runs quietly; what it printed is shown only when it fails. */
async function step(title, command, args) {
  const startedAt = Date.now();
  say(`${title} …`);
  let output = '';
  const collect = (child) => {
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  };
  const code = await run(command, args, { stdio: ['ignore', 'pipe', 'pipe'], onSpawn: collect });
  if (code === 128) fail('stopped');
  if (code !== 0) fail(`${output}\n${title} failed: see above.`);
  const seconds = (Date.now() - startedAt) / 1000;
  if (seconds > 2) say(`done after ${seconds.toFixed(0)} s`);
}

/** Whether node_modules holds what package-lock.json says. Times are no help: a git checkout sets them again. */
function isInstalled(isChecked) {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages(path.join('node_modules', '.package-lock.json'));
  if (!installed) return false;
  return Object.entries(wanted ?? {}).every(([name, entry]) => {
    if (!name.startsWith('node_modules/') || entry.peer || (entry.dev && !isChecked)) return true;
    const found = installed[name];
    // Those of other systems are absent.
    if (entry.optional || entry.devOptional) return found === undefined || found.version === entry.version;
    return found !== undefined && found.version === entry.version;
  });
}

function readPackages(file) {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

function isGenerationDue() {
  const generated = filesBelow(path.join('protos', 'gen'), '.ts').map(changedAt);
  if (generated.length === 0) return true;
  const sources = [...filesBelow(path.join('protos', 'panel'), '.proto'), path.join('protos', 'buf.gen.yaml')];
  return Math.max(...sources.map(changedAt)) > Math.min(...generated);
}

function filesBelow(directory, ending) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(directory, name));
}

function changedAt(file) {
  return statSync(file).mtimeMs;
}
