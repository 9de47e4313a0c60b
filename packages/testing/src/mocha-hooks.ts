import type { Context } from 'mocha';
import { readTestConfig } from './config.js';
import { quarantineRetries, readQuarantine } from './quarantine.js';
import { dropTestDatabases } from './test-databases.js';
import { testDependencies } from './test-dependencies.js';
import { failUnhandledRejections } from './unhandled-rejections.js';

/** Time for closed parts, such as keep-alive connections, to end. */
const leftOpenMs = 3_000;

/* Required by each workspace's .mocharc.json. */
export async function mochaGlobalSetup(): Promise<void> {
  const { mongoUrl } = readTestConfig();
  failUnhandledRejections();
  if (mongoUrl === undefined) await testDependencies.startMongo();
}

export async function mochaGlobalTeardown(): Promise<void> {
  // An engine of this process goes as a whole.
  if (readTestConfig().mongoUrl !== undefined) await dropTestDatabases();
  await testDependencies.stop();
  endSoon();
}

const quarantined = new Set(readQuarantine().map(({ test }) => test));

export const mochaHooks = {
  beforeEach(this: Context): void {
    const test = this.currentTest;
    if (test && quarantined.has(test.fullTitle())) test.retries(quarantineRetries);
  },
};

/** An open connection would block the run's end. */
function endSoon(): void {
  const timer = setTimeout(() => {
    const open = [...new Set(process.getActiveResourcesInfo())].filter((name) => name !== 'Timeout').join(', ');
    process.stderr.write(`the tests have left something open (${open}); ending the run all the same\n`);
    process.exit();
  }, leftOpenMs);
  timer.unref();
}
