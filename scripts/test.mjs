// npm test: every test of every workspace, over one MongoDB and one Redis; the last line counts them all. `-- --fast` runs
// the suites that need no container engine and no browser; TEST_SUMMARY names a file for the counts.
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import './stop-with-npm.mjs';
import { prepare, root, run, say } from './prepare.mjs';

await prepare({ isChecked: true });
const { detectEngine, startMongo, startRedis } = await import('../packages/stack/dist/src/index.js');
const { containersBelow, removeContainersBelow } = await import('../packages/runtime/dist/src/testing/index.js');
const isCi = process.env.CI === 'true';
// Everything this run makes lies below it, which is how its containers are known; games of other users pass through.
const directory = mkdtempSync(path.join(tmpdir(), 'panel-run-'));
chmodSync(directory, 0o1777);
const parts = [];
const isFast = process.argv.includes('--fast');
/**
 * Suites that need no container engine and no browser, and end within a few minutes, in lanes that take about the same time.
 */
const fastLanes = [
  ['identity', 'outbox'],
  ['gateway', 'rpc', 'client', 'admin', 'kit', 'protos'],
];
const fastSuites = fastLanes.flat();
/**
 * Workspaces that take longest, beside everything else: most of their time they wait, for leases, games, engines and the
 * database. A lane runs one after the other; all lanes take about the same time.
 */
const slowLanes = [['servers'], ['e2e', 'repository-tests'], ['billing', 'identity']];
const lanes = isFast
  ? fastLanes.map(scopes)
  : [...slowLanes.map(scopes), slowLanes.flat().flatMap((name) => ['--ignore', `@panel/${name}`])];

try {
  const environment = await startParts();
  const resultsDir = path.join(directory, 'results');
  const lerna = path.join(root, 'node_modules', 'lerna', 'dist', 'cli.js');
  const args = [lerna, 'run', 'test', '--concurrency', '1', '--stream', '--no-bail', '--no-sort', '--skip-nx-cache'];
  const quiet = { NX_DAEMON: 'false', NX_TUI: 'false' };
  const env = {
    ...process.env,
    ...environment,
    ...quiet,
    TEST_RESULTS_DIR: resultsDir,
    TEST_FAST: String(isFast),
    TMPDIR: directory,
  };
  const codes = await Promise.all(lanes.map((lane) => runLane([...args, ...lane], env)));
  const code = codes.find((code) => code !== 0);
  keepScreenshots(resultsDir);
  process.exitCode = report(resultsDir, code, await leftContainers());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(parts.map((part) => part.stop(8_000)));
  rmSync(directory, { recursive: true, force: true });
}

/** Says how long it took: lanes that end long before the others leave processors idle. */
async function runLane(args, env) {
  const startedAt = performance.now();
  const code = await run(process.execPath, args, { env });
  say(`lane done after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s: ${args.slice(-2).join(' ')}`);
  return code;
}

/** What browsers showed when a test failed outlives the run, in test-results/. */
function keepScreenshots(resultsDir) {
  const kept = path.join(root, 'test-results');
  rmSync(kept, { recursive: true, force: true });
  const taken = path.join(resultsDir, 'screenshots');
  if (!existsSync(taken)) return;
  cpSync(taken, path.join(kept, 'screenshots'), { recursive: true });
  for (const name of readdirSync(taken)) say(`screenshot of a failed test: test-results/screenshots/${name}`);
}

function scopes(names) {
  return names.flatMap((name) => ['--scope', `@panel/${name}`]);
}

/** MongoDB, Redis and a container engine, each found or started; in CI none may be missing. Returns their variables. */
async function startParts() {
  const common = { dataDir: directory, searchPath: process.env.PATH ?? '', log: say };
  const mongo = await startMongo({
    ...common,
    url: process.env.MONGO_URL || undefined,
    mongodBin: process.env.MONGOD_BIN || undefined,
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

/** Adds up what the workspaces' reporters have written, prints the closing line, returns the exit code. */
function report(resultsDir, lernaCode, left) {
  const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const files = [];
  for (const name of isFast ? fastSuites : workspaces.flatMap(expand)) {
    const file = path.join(resultsDir, `${name}.json`);
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 1, skipped: 0 };
    if (!existsSync(file)) failures.push(`${name}: has reported no tests, which counts as a failure`);
    failures.push(...(counts.failures ?? []).map((failure) => `${name}: ${failure}`));
    for (const title of counts.repeated ?? []) say(`failed at first and was repeated: ${name}: ${title}`);
    files.push(...(counts.files ?? []).map((cost) => ({ ...cost, file: `${name}/${cost.file}` })));
    for (const kind of Object.keys(sum)) sum[kind] += counts[kind];
  }
  // A runner that fails after its last test, on a hanging hook say, has failed all the same.
  if (lernaCode !== undefined && sum.failed === 0) sum.failed = 1;
  sum.failed += left;
  const failed = failures.map((failure) => `failed: ${failure}\n`).join('');
  if (process.env.TEST_SUMMARY) writeFileSync(process.env.TEST_SUMMARY, `${sum.passed} ${sum.failed}\n${failed}`);
  sayCosts(files);
  process.stdout.write(`\n${failed}`);
  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
  process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
  return sum.failed === 0 ? 0 : 1;
}

/** Names the files that took longest: a run has a time limit, and a slow test is the first thing to mend. */
function sayCosts(files) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 25);
  say('slowest test files, in seconds, and of these on the processor:');
  for (const { file, seconds, cpuSeconds } of slowest) say(`${seconds.toFixed(1)} ${cpuSeconds.toFixed(1)} ${file}`);
}

/** Names, without their scope, of the workspaces a pattern of package.json means. */
function expand(pattern) {
  const parent = pattern.endsWith('/*') ? pattern.slice(0, -2) : undefined;
  const folders =
    parent === undefined ? [pattern] : readdirSync(path.join(root, parent)).map((name) => path.join(parent, name));
  return folders
    .map((folder) => path.join(root, folder, 'package.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter(({ scripts }) => scripts?.test)
    .map(({ name }) => name.replace(/^@[^/]+\//, ''));
}
