import { randomInt } from 'node:crypto';
import { readTestConfig } from '@panel/testing';
import { runSeed } from './run-seed.js';

/** Fixed, so that a change of the code is all that a failure can come from; every night some at random. */
const fixed = [5, 7];
const { isLong } = readTestConfig();
const seeds = isLong ? [...fixed, ...Array.from({ length: 4 }, () => randomInt(1_000_000))] : fixed;
const rounds = isLong ? 12 : 1;

describe('random faults', function () {
  this.timeout(isLong ? 3_600_000 : 600_000);

  for (const seed of seeds) {
    it(`loses nothing that was acknowledged and does nothing twice with the seed ${seed}`, async () => {
      await runSeed({ seed, rounds, log: (line) => console.log(`    ${line}`) });
    });
  }
});
