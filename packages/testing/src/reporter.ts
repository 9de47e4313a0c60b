import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { readTestConfig } from './config.js';
import { failureNotes } from './failure-notes.js';

/** The content of TEST_RESULTS_FILE. */
interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Full titles, with the error's first line and the notes of `noteOnFailure`. */
  readonly failures: readonly string[];
  /** Full titles, with the same of the first run. */
  readonly repeated: readonly string[];
  readonly files: readonly FileCost[];
}

/** Cost of one test file, hooks included. */
interface FileCost {
  readonly file: string;
  readonly seconds: number;
  /** Includes ended children on Linux. */
  readonly cpuSeconds: number;
}

/** Mocha's `spec` reporter that also writes the counts. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const { resultsFile } = readTestConfig();
    if (resultsFile === undefined) return;
    const failures: string[] = [];
    const repeated: string[] = [];
    const files = measureFiles(runner);
    runner.on('fail', (test, error: unknown) => failures.push(`${test.fullTitle()}: ${describe(error)}`));
    runner.on('retry', (test, error: unknown) => repeated.push(`${test.fullTitle()}: ${describe(error)}`));
    runner.once('end', () => writeCounts(resultsFile, runner.stats, failures, repeated, files()));
  }
}

/** The returned function returns the results. */
function measureFiles(runner: Mocha.Runner): () => FileCost[] {
  const files = new Map<string, { wallMs: number; cpuMs: number }>();
  let current: { readonly file: string; readonly wallMs: number; readonly cpuMs: number } | undefined;
  const finish = () => {
    if (!current) return;
    const cost = files.get(current.file) ?? { wallMs: 0, cpuMs: 0 };
    cost.wallMs += performance.now() - current.wallMs;
    cost.cpuMs += cpuMs() - current.cpuMs;
    files.set(current.file, cost);
    current = undefined;
  };
  runner.on('suite', ({ parent, file }) => {
    if (!parent?.root || file === undefined) return;
    finish();
    current = { file, wallMs: performance.now(), cpuMs: cpuMs() };
  });
  runner.on('suite end', ({ parent }) => {
    if (parent?.root) finish();
  });
  return () =>
    [...files].map(([file, cost]) => ({
      file: path.relative(process.cwd(), file),
      seconds: cost.wallMs / 1_000,
      cpuSeconds: cost.cpuMs / 1_000,
    }));
}

/** CPU milliseconds of this process and its children. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + endedChildrenMs();
}

/** `cutime` and `cstime` of proc(5), in ticks of 10 ms; the name in brackets may hold anything. */
function endedChildrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function describe(error: unknown): string {
  const notes = failureNotes();
  return notes === '' ? firstLine(error) : `${firstLine(error)} (${notes})`;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]?.slice(0, 300) ?? '';
}

function writeCounts(
  file: string,
  stats: Mocha.Stats | undefined,
  failures: readonly string[],
  repeated: readonly string[],
  files: readonly FileCost[],
): void {
  const { passes = 0, failures: failed = 0, pending = 0 } = stats ?? {};
  const counts: TestCounts = { passed: passes, failed, skipped: pending, failures, repeated, files };
  writeFileSync(file, `${JSON.stringify(counts)}\n`);
}

// oxlint-disable-next-line import/no-default-export -- mocha takes a reporter as the default export of its module
export default CountingReporter;
