import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

/** Each byte that passes has been in two or three buffers. */
const everyBytes = 4 * 1024 * 1024;

let uncollectedBytes = 0;
let collect: Collect | null = null;

/**
 * Count bytes that this process passes on and keeps nothing of. V8 frees the buffers they were in when 32 MiB of them have been
 * made, and has no option for less; here a short collection, of about a millisecond, does so every 4 MiB. That is only of use where
 * bytes leave as fast as they come: what two collections find in use stays until a full one (bench/HISTORY.md).
 */
export function countPassedBytes(bytes: number): void {
  uncollectedBytes += bytes;
  if (uncollectedBytes < everyBytes) return;
  uncollectedBytes = 0;
  collect ??= exposedCollect();
  collect({ type: 'minor' });
}

function exposedCollect(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
