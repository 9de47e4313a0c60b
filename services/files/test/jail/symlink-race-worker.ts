import { mkdirSync, renameSync, statSync, symlinkSync, unlinkSync } from 'node:fs';

/*
 * A malicious game: swaps `x` in the root between a directory and a link to outside. A separate process, for
 * independent timing. argv: root, outside, turns. Continues within a moved root, and ends when it is gone.
 */
const [root = '', outside = '', turns = '0'] = process.argv.slice(2);
const x = 'x';
const aside = 'aside';

process.chdir(root);

process.send?.('begin');
let isStopped = false;
process.on('message', () => (isStopped = true));

/** Random delays, so that all steps meet all states. */
function linger(): void {
  const end = performance.now() + Math.random() * 0.1;
  while (performance.now() < end);
}

/** The other side also makes changes. */
function tryTo(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

function swap(): void {
  if (statSync('.').nlink === 0) process.exit(0);
  tryTo(() => renameSync(x, aside));
  tryTo(() => renameSync(x, `junk${Math.random()}`));
  tryTo(() => symlinkSync(outside, x));
  linger();
  tryTo(() => unlinkSync(x));
  tryTo(() => renameSync(aside, x));
  tryTo(() => mkdirSync(x));
  linger();
}

tryTo(() => mkdirSync(x));
let done = 0;
function burst(): void {
  for (let i = 0; i < 500; i += 1) swap();
  done += 500;
  if (isStopped && done >= Number(turns)) {
    process.send?.(done);
    process.disconnect();
  } else setImmediate(burst);
}
burst();
