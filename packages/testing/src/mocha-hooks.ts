import { readTestConfig } from './config.js';
import { testDependencies } from './test-dependencies.js';
import { failUnhandledRejections } from './unhandled-rejections.js';

/** Time for closed parts, such as keep-alive connections, to end. */
const leftOpenMs = 3_000;

/*
 * Required by each workspace's .mocharc.json. Starts MongoDB, unless given, before the first hook; stops everything
 * after the last.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const { mongoUrl } = readTestConfig();
  failUnhandledRejections();
  if (mongoUrl === undefined) await testDependencies.startMongo();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await testDependencies.stop();
  endSoon();
}

/** An open connection would block the run's end: reports it and ends with the result. */
function endSoon(): void {
  const timer = setTimeout(() => {
    const open = [...new Set(process.getActiveResourcesInfo())].filter((name) => name !== 'Timeout').join(', ');
    process.stderr.write(`the tests have left something open (${open}); ending the run all the same\n`);
    process.exit();
  }, leftOpenMs);
  // A clean run ends before.
  timer.unref();
}
