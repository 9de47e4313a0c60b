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
}

/** Mocha's `spec` reporter that also writes the counts where the run as a whole adds them up. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const { resultsDir } = readTestConfig();
    if (resultsDir === undefined) return;
    runner.once('end', () => writeCounts(resultsDir, runner.stats));
  }
}

function writeCounts(directory: string, stats: Mocha.Stats | undefined): void {
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
  const workspace = name.replace(/^@[^/]+\//, '');
  const { passes = 0, failures = 0, pending = 0 } = stats ?? {};
  const counts: TestCounts = { workspace, passed: passes, failed: failures, skipped: pending };
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, `${workspace}.json`), `${JSON.stringify(counts)}\n`);
}

// oxlint-disable-next-line import/no-default-export -- mocha takes a reporter as the default export of its module
export default CountingReporter;
