// The queue of `npm test`: test files of all workspaces in units of one mocha process each, the longest first.
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from './prepare.mjs';

const costsFile = path.join(root, 'scripts', 'test-costs.json');
const lerna = path.join(root, 'node_modules', 'lerna', 'dist', 'cli.js');
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
/** A file without a recorded cost has taken less than the least that is recorded. */
const unknownSeconds = 1;
/** Files of a workspace share a process until they take this long together: loading its modules costs seconds. */
const unitSeconds = 300;
/** Files below a folder `shared` also share what the first of them starts, an installation say, which costs far more. */
const sharedUnitSeconds = 480;
/** Lanes of what starts most processes and containers: one unit of a lane runs at a time, and the lanes run first. */
const lanes = {
  e2e: 'installations',
  faults: 'installations',
  stories: 'installations',
  servers: 'games',
  runtime: 'engine',
  stack: 'engine',
};
/** A file that takes this long is recorded. */
const recordedSeconds = 4;

/** Workspaces with tests: `{ name, directory }`, without the scope of their packages. */
export async function testedWorkspaces() {
  const args = [lerna, 'ls', '--all', '--json', '--loglevel', 'error'];
  const env = { ...process.env, NX_DAEMON: 'false' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  return JSON.parse(stdout)
    .map(({ name, location: directory }) => ({ name: name.replace(/^@[^/]+\//, ''), directory }))
    .filter(({ directory }) => readJson(path.join(directory, 'package.json')).scripts?.test);
}

/** Units of work, longest first: `{ workspace, files, seconds }`, files relative to the workspace, as far as `isWanted`. */
export function planUnits(workspaces, isWanted = () => true) {
  const costs = readCosts();
  const units = workspaces.flatMap((workspace) => {
    const files = compiledTests(workspace.directory)
      .filter(isWanted)
      .map((file) => ({ file, seconds: costs[`${workspace.name}/${file}`] ?? unknownSeconds }))
      .toSorted((a, b) => b.seconds - a.seconds || a.file.localeCompare(b.file));
    if (files.length === 0) throw new Error(`${workspace.name} has no compiled test`);
    const { shared = [], own = [] } = Object.groupBy(files, ({ file }) => (isShared(file) ? 'shared' : 'own'));
    return [...pack(workspace, shared, sharedUnitSeconds), ...pack(workspace, own, unitSeconds)];
  });
  const hasLane = ({ workspace }) => Number(laneOf(workspace) !== undefined);
  return units.toSorted((a, b) => hasLane(b) - hasLane(a) || b.seconds - a.seconds);
}

function pack(workspace, files, maxSeconds) {
  const packed = [];
  for (const { file, seconds } of files) {
    let unit = packed.at(-1);
    if (!unit || unit.seconds + seconds > maxSeconds) packed.push((unit = { workspace, files: [], seconds: 0 }));
    unit.files.push(file);
    unit.seconds += seconds;
  }
  return packed;
}

function isShared(file) {
  return file.startsWith(path.join('dist', 'shared', path.sep));
}

/** Runs every unit, `concurrency` at a time. `onEnd` is called with each unit and `{ code, output, seconds }`. */
export async function runUnits(units, { concurrency, resultsDir, env, onEnd }) {
  const waiting = units.map((unit, index) => ({ ...unit, resultsFile: path.join(resultsDir, `${index}.json`) }));
  const ended = [];
  const running = new Set();
  const takeNext = () => {
    const at = waiting.findIndex(({ workspace }) => !running.has(laneOf(workspace)));
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  };
  // A worker that finds only units which have to wait ends: the one that runs such a unit goes on with the others.
  const work = async () => {
    for (let unit = takeNext(); unit; unit = takeNext()) {
      const lane = laneOf(unit.workspace);
      if (lane !== undefined) running.add(lane);
      const result = await runUnit(unit, env);
      if (lane !== undefined) running.delete(lane);
      ended.push({ ...unit, ...result });
      onEnd(unit, result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return ended;
}

function laneOf({ name }) {
  return lanes[name];
}

/** Resolves with the exit code; null when a signal ended it. */
function runUnit({ workspace, files, resultsFile }, env) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mocha, ...files], {
      cwd: workspace.directory,
      env: { ...env, TEST_RESULTS_FILE: resultsFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const passOn = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, passOn);
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of signals) process.off(signal, passOn);
      const seconds = (performance.now() - startedAt) / 1_000;
      resolve({ code, seconds, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/** Records what the files of a run have taken, for the order of the next; `files` is `[{ file, seconds }]`. */
export function recordCosts(files) {
  const costs = files
    .filter(({ seconds }) => seconds >= recordedSeconds)
    .map(({ file, seconds }) => [file, Math.round(seconds)])
    .toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(costsFile, `${JSON.stringify(Object.fromEntries(costs), null, 2)}\n`);
}

function readCosts() {
  return existsSync(costsFile) ? readJson(costsFile) : {};
}

/** Compiled tests whose source is still there: the compiler leaves those of files that were moved. */
function compiledTests(directory) {
  const dist = path.join(directory, 'dist');
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .filter((name) => existsSync(path.join(directory, name.replace(/\.js$/, '.ts'))))
    .map((name) => path.join('dist', name));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
