import { readTestConfig } from './config.js';
import { runningParts } from './parts.js';

/*
 * Required by each workspace's .mocharc.json. The MongoDB is started before the first hook of the tests, unless the run was
 * given one, and everything is stopped after the last.
 */
export async function mochaGlobalSetup(): Promise<void> {
  if (readTestConfig().mongoUrl === undefined) await runningParts.startMongo();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await runningParts.stop();
}
