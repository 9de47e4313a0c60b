import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { readTestConfig } from './config.js';

/** What one workspace's run came to; `<name>.json` in TEST_RESULTS_DIR. */
export interface TestCounts {
  readonly workspace: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Whole titles of the tests that failed, each with the first line of its error. */
  readonly failures: readonly string[];
  /** Whole titles of the tests that failed once and passed when they were repeated. */
  readonly repeated: readonly string[];
}

/** Mocha's `spec` reporter that also writes the counts where the run as a whole adds them up. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const { resultsDir } = readTestConfig();
    if (resultsDir === undefined) return;
    const failures: string[] = [];
    const repeated = new Set<string>();
    runner.on('fail', (test, error: unknown) => {
      repeated.delete(test.fullTitle());
      failures.push(`${test.fullTitle()}: ${firstLine(error)}`);
    });
    runner.on('retry', (test) => repeated.add(test.fullTitle()));
    runner.once('end', () => writeCounts(resultsDir, runner.stats, failures, [...repeated]));
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]?.slice(0, 300) ?? '';
}

function writeCounts(
  directory: string,
  stats: Mocha.Stats | undefined,
  failures: readonly string[],
  repeated: readonly string[],
): void {
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
  const workspace = name.replace(/^@[^/]+\//, '');
  const { passes = 0, failures: failed = 0, pending = 0 } = stats ?? {};
  const counts: TestCounts = { workspace, passed: passes, failed, skipped: pending, failures, repeated };
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, `${workspace}.json`), `${JSON.stringify(counts)}\n`);
}

// oxlint-disable-next-line import/no-default-export -- mocha takes a reporter as the default export of its module
export default CountingReporter;
