import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { messageOf } from '@panel/kit/errors';
import { runSeed } from './run-seed.js';

/* npm run test:faults [-- --seed n --rounds n]: random faults until a seed fails. */
const { values } = parseArgs({ options: { seed: { type: 'string' }, rounds: { type: 'string' } } });
const [seed, rounds] = [Number(values.seed ?? randomInt(1_000_000)), Number(values.rounds ?? 5)];
if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1) {
  console.error('usage: npm run test:faults [-- --seed n --rounds n], both whole numbers');
  process.exit(2);
}
try {
  await runSeed({ seed, rounds, log: (line) => console.log(line) });
  console.log(`everything held; again with: npm run test:faults -- --seed ${seed} --rounds ${rounds}`);
} catch (error) {
  console.error(`${messageOf(error)}\n\nagain with: npm run test:faults -- --seed ${seed} --rounds ${rounds}`);
  process.exitCode = 1;
}
