import { readTestConfig } from './config.js';
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
  await testDependencies.stop();
  endSoon();
}

/** An open connection would block the run's end. */
function endSoon(): void {
  const timer = setTimeout(() => {
    const open = [...new Set(process.getActiveResourcesInfo())].filter((name) => name !== 'Timeout').join(', ');
    process.stderr.write(`the tests have left something open (${open}); ending the run all the same\n`);
    process.exit();
  }, leftOpenMs);
  timer.unref();
}
