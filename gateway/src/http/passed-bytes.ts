import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

/** Each byte was in two or three buffers. */
const everyBytes = 4 * 1024 * 1024;

let uncollectedBytes = 0;
let collect: Collect | null = null;

/**
 * A minor collection (about 1 ms) per 4 MiB frees passed buffers; V8 does so after 32 MiB only, without an option.
 * Useful only where bytes leave as fast as they come: what survives two collections stays until a full one
 * (bench/HISTORY.md).
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
