import { randomInt } from 'node:crypto';
import { readTestConfig } from '@panel/testing';
import { engineMissing } from '@panel/testing/engine';
import { type GameRuntime, runtimes } from './plan.js';
import { runSeed } from './run-seed.js';

interface Run {
  readonly runtime: GameRuntime;
  readonly seed: number;
}

/** Fixed, so that a change of the code is all that a failure can come from; every night some at random. */
const fixed: readonly Run[] = [
  { runtime: 'process', seed: 5 },
  { runtime: 'docker', seed: 26 },
];
const { isCi, isLong } = readTestConfig();
const random = Array.from({ length: 2 }, () => runtimes.map((runtime) => ({ runtime, seed: randomInt(1_000_000) })));
const runs = isLong ? [...fixed, ...random.flat()] : fixed;
const rounds = isLong ? 12 : 1;

describe('random faults', function () {
  this.timeout(isLong ? 3_600_000 : 600_000);

  for (const { runtime, seed } of runs) {
    it(`loses nothing that was acknowledged and does nothing twice with the seed ${seed} (${runtime})`, async function () {
      const missing = runtime === 'docker' ? await engineMissing() : null;
      if (missing !== null && isCi) throw new Error(missing);
      if (missing !== null) this.skip();
      await runSeed({ seed, rounds, runtime, log: (line) => console.log(`    ${line}`) });
    });
  }
});
