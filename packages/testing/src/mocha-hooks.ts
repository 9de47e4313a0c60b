import { readTestConfig } from './config.js';
import { testDependencies } from './test-dependencies.js';
import { failUnhandledRejections } from './unhandled-rejections.js';

/** Time for what was closed last, keep-alive connections say, to go. */
const leftOpenMs = 3_000;

/*
 * Required by each workspace's .mocharc.json. The MongoDB is started before the first hook of the tests, unless the run was
 * given one, and everything is stopped after the last.
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

/** A test that leaves a connection open would hold the whole run for ever: it is named, and the run ends with its result. */
function endSoon(): void {
  const timer = setTimeout(() => {
    const open = [...new Set(process.getActiveResourcesInfo())].filter((name) => name !== 'Timeout').join(', ');
    process.stderr.write(`the tests have left something open (${open}); ending the run all the same\n`);
    process.exit();
  }, leftOpenMs);
  // Nothing left open: the run ends by itself before that.
  timer.unref();
}
