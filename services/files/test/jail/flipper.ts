import { mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';

/*
 * What a hostile game does: as fast as it can, `x` in the root turns from a directory into a link that leads outside, and
 * back. A process of its own, so that nothing in the tested one is in step with it. argv: root, outside, turns. It works on from inside the
 * root wherever that is moved to, and ends when the root is gone.
 */
const [root = '', outside = '', turns = '0'] = process.argv.slice(2);
const x = 'x';
const aside = 'aside';

process.chdir(root);
process.on('uncaughtException', (error) => process.exit('code' in error && error.code === 'ENOENT' ? 0 : 1));

process.send?.('begin');
let isStopped = false;
process.on('message', () => (isStopped = true));

/** Stay in a state for a moment that is different each time, so that every step of the other side meets every state. */
function linger(): void {
  const end = performance.now() + Math.random() * 0.1;
  while (performance.now() < end);
}

function flip(): void {
  renameSync(x, aside);
  symlinkSync(outside, x);
  linger();
  unlinkSync(x);
  renameSync(aside, x);
  linger();
}

mkdirSync(x, { recursive: true });
let done = 0;
function burst(): void {
  for (let i = 0; i < 500; i += 1) flip();
  done += 500;
  if (isStopped && done >= Number(turns)) {
    process.send?.(done);
    process.disconnect();
  } else setImmediate(burst);
}
burst();
