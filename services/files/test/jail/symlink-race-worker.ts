import { mkdirSync, renameSync, statSync, symlinkSync, unlinkSync } from 'node:fs';

/*
 * What a malicious game does: as fast as it can, `x` in the root turns from a directory into a link that leads outside, and
 * back. A process of its own, so that nothing in the tested one is in step with it. argv: root, outside, turns. It works on from inside the
 * root wherever that is moved to, and ends when the root is gone.
 */
const [root = '', outside = '', turns = '0'] = process.argv.slice(2);
const x = 'x';
const aside = 'aside';

process.chdir(root);

process.send?.('begin');
let isStopped = false;
process.on('message', () => (isStopped = true));

/** Stay in a state for a moment that is different each time, so that every step of the other side meets every state. */
function linger(): void {
  const end = performance.now() + Math.random() * 0.1;
  while (performance.now() < end);
}

/** Do what can be done: the other side changes things too, and this one must continue whatever it finds. */
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
