import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { messageOf } from '@panel/kit/errors';
import { runtimes } from './plan.js';
import { runSeed } from './run-seed.js';

/* npm run test:faults [-- --seed n --rounds n --runtime r]: the rounds of one seed. */
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, rounds: text, runtime: text } });
const [seed, rounds] = [Number(values.seed ?? randomInt(1_000_000)), Number(values.rounds ?? 5)];
const runtime = runtimes.find((name) => name === (values.runtime ?? 'process'));
if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1 || runtime === undefined) {
  console.error(
    'usage: npm run test:faults [-- --seed <whole number> --rounds <whole number> --runtime process|docker]',
  );
  process.exit(2);
}
const again = `npm run test:faults -- --seed ${seed} --rounds ${rounds} --runtime ${runtime}`;
try {
  await runSeed({ seed, rounds, runtime, log: (line) => console.log(line) });
  console.log(`everything held; again with: ${again}`);
} catch (error) {
  console.error(`${messageOf(error)}\n\nagain with: ${again}`);
  process.exitCode = 1;
}
