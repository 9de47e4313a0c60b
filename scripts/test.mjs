// npm test: every test of every workspace, over one MongoDB and one Redis; the last line counts them all.
//   -- --fast       suites that need no container engine and no browser, without their integration tests
//   -- --long       as every night: random histories of full length, and a transfer of a real game
//   -- --costs      records what each file took in scripts/test-costs.json, which orders the queue
// TEST_SUMMARY names a file for the counts, TEST_CONCURRENCY sets how many test processes run at a time.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import './stop-with-npm.mjs';
import { prepare, root, say } from './prepare.mjs';

await prepare({ isChecked: true });
const { planUnits, recordCosts, runUnits, testedWorkspaces } = await import('./test-queue.mjs');
const { startMongo, startRedis } = await import('../packages/programs/dist/src/index.js');
const { detectEngine } = await import('../packages/stack/dist/src/index.js');
const { containersBelow, removeContainersBelow } = await import('../packages/testing/dist/src/engine/index.js');
const isCi = process.env.CI === 'true';
const isFast = process.argv.includes('--fast');
/** Need no container engine and no browser; without test/integration they end within a few minutes. */
const fastSuites = ['identity', 'outbox', 'gateway', 'rpc', 'client', 'admin', 'kit', 'protos'];
/** One more than processors: a unit is many processes, and more of them starve the time limits of tests. */
const concurrency = Number(process.env.TEST_CONCURRENCY) || availableParallelism() + 1;
// Everything this run makes lies below it, which is how its containers are known; games of other users pass through.
const directory = mkdtempSync(path.join(tmpdir(), 'panel-run-'));
chmodSync(directory, 0o1777);
const parts = [];

try {
  const environment = await startParts();
  const resultsDir = path.join(directory, 'results');
  mkdirSync(resultsDir);
  const workspaces = await testedWorkspaces();
  const units = isFast
    ? planUnits(
        workspaces.filter(({ name }) => fastSuites.includes(name)),
        (file) => !file.includes('/integration/'),
      )
    : planUnits(workspaces);
  const env = {
    ...process.env,
    ...environment,
    TEST_FAST: String(isFast),
    TEST_LONG: String(process.argv.includes('--long')),
    TEST_RESULTS_DIR: resultsDir,
    TMPDIR: directory,
    // Hundreds of processes load the same modules.
    NODE_COMPILE_CACHE: path.join(directory, 'compile-cache'),
  };
  let done = 0;
  const ended = await runUnits(units, {
    concurrency,
    resultsDir,
    env,
    onEnd: (unit, result) => sayEnd(unit, result, `${(done += 1)}/${units.length}`),
  });
  keepScreenshots(resultsDir);
  process.exitCode = report(ended, await leftContainers());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(parts.map((part) => part.stop(8_000)));
  rmSync(directory, { recursive: true, force: true });
}

/** One line for a unit that passed; what a failed one printed, too. */
function sayEnd({ workspace, files }, { code, output, seconds }, progress) {
  const first = files[0].replace(/^dist\//, '').replace(/\.js$/, '.ts');
  const rest = files.length > 1 ? ` and ${files.length - 1} more` : '';
  const outcome = code === 0 ? 'passed' : 'FAILED';
  say(`${progress} ${outcome} ${workspace.name}: ${first}${rest} (${seconds.toFixed(0)} s)`);
  if (code !== 0) process.stdout.write(`${output}\n`);
}

/** What browsers showed when a test failed outlives the run, in test-results/. */
function keepScreenshots(resultsDir) {
  const retained = path.join(root, 'test-results');
  rmSync(retained, { recursive: true, force: true });
  const taken = path.join(resultsDir, 'screenshots');
  if (!existsSync(taken)) return;
  cpSync(taken, path.join(retained, 'screenshots'), { recursive: true });
  for (const name of readdirSync(taken)) say(`screenshot of a failed test: test-results/screenshots/${name}`);
}

/** MongoDB, Redis and a container engine, each found or started; in CI none may be missing. Returns their variables. */
async function startParts() {
  const common = { dataDir: directory, searchPath: process.env.PATH ?? '', log: say };
  const mongo = await startMongo({
    ...common,
    url: process.env.MONGO_URL || undefined,
    mongodBin: process.env.MONGOD_BIN || undefined,
    // Clocks of tests stand in the past: what they have written would be removed in the middle.
    ttlIntervalMs: 86_400_000,
  });
  parts.push(mongo);
  const redis = await startRedis({ ...common, url: process.env.REDIS_URL || undefined });
  if (redis) parts.push(redis);
  const engine = await detectEngine({ runtime: 'auto', dockerHost: process.env.DOCKER_HOST || undefined, log: say });
  const missing = [...(redis ? [] : ['Redis']), ...(isFast || engine.kind === 'docker' ? [] : ['a container engine'])];
  if (missing.length > 0 && isCi)
    throw new Error(`CI=true needs ${missing.join(' and ')}: install and start it, then try again`);
  if (missing.length > 0) say(`tests that need ${missing.join(' or ')} are skipped`);
  return { MONGO_URL: mongo.url, ...(redis ? { REDIS_URL: redis.url } : {}) };
}

/** How many containers this run has left on the engine; each is named, and removed. */
async function leftContainers() {
  const left = await containersBelow(directory);
  for (const { Names, Status } of left) say(`left on the engine: ${Names.join(' ')} (${Status})`);
  await removeContainersBelow(directory);
  return left.length;
}

/** Adds up what the reporters of the units have written, prints the closing line, returns the exit code. */
function report(ended, left) {
  const sum = { passed: 0, failed: left, skipped: 0 };
  const failures = [];
  const costs = [];
  for (const { workspace, files, resultsFile, code } of ended) {
    const counts = readCounts(resultsFile, files);
    failures.push(...counts.failures.map((failure) => `${workspace.name}: ${failure}`));
    for (const title of counts.repeated) say(`failed at first and was repeated: ${workspace.name}: ${title}`);
    costs.push(...counts.files.map((cost) => ({ ...cost, file: `${workspace.name}/${cost.file}` })));
    for (const kind of Object.keys(sum)) sum[kind] += counts[kind];
    // A process that fails after its last test, on a hanging hook say, has failed all the same.
    if (code === 0 || counts.failed > 0) continue;
    sum.failed += 1;
    failures.push(`${workspace.name}: ${files.join(' ')} ended with ${code ?? 'a signal'} without a failed test`);
  }
  if (process.argv.includes('--costs')) recordCosts(costs);
  const failed = failures.map((failure) => `failed: ${failure}\n`).join('');
  if (process.env.TEST_SUMMARY) writeFileSync(process.env.TEST_SUMMARY, `${sum.passed} ${sum.failed}\n${failed}`);
  sayCosts(costs);
  process.stdout.write(`\n${failed}`);
  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
  process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
  return sum.failed === 0 ? 0 : 1;
}

/** A process that ended without counts has failed, also with exit code 0. */
function readCounts(resultsFile, files) {
  if (existsSync(resultsFile)) return JSON.parse(readFileSync(resultsFile, 'utf8'));
  return {
    passed: 0,
    failed: 1,
    skipped: 0,
    failures: [`${files.join(' ')} reported no tests`],
    repeated: [],
    files: [],
  };
}

/** Names the files that took longest: a run has a time limit, and a slow test is the first thing to mend. */
function sayCosts(files) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 25);
  say('slowest test files, in seconds, and of these on the processor:');
  for (const { file, seconds, cpuSeconds } of slowest) say(`${seconds.toFixed(1)} ${cpuSeconds.toFixed(1)} ${file}`);
  say('all test files by workspace, likewise:');
  for (const [name, own] of Object.entries(Object.groupBy(files, ({ file }) => file.split('/', 1)[0])))
    say(`${sumOf(own, 'seconds')} ${sumOf(own, 'cpuSeconds')} ${name}`);
}

function sumOf(files, field) {
  return files.reduce((sum, file) => sum + file[field], 0).toFixed(0);
}
