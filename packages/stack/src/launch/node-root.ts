import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

const passThrough = 0o001;
const privateRoots = '/var/lib/panel';

/** Below DATA_DIR, unless only root may traverse to it (like /root). Under root, games run as another user. */
export function nodeRoot(dataDir: string, options: { isRoot: boolean; fallback?: string }): string {
  const inside = path.join(dataDir, 'node');
  if (!options.isRoot) return inside;
  letPass(dataDir);
  if (ancestors(dataDir).every((directory) => (statSync(directory).mode & passThrough) !== 0)) return inside;
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const outside = path.join(options.fallback ?? privateRoots, digest);
  mkdirSync(outside, { recursive: true, mode: 0o755 });
  return outside;
}

/** Traversal only, no listing or reading. */
function letPass(directory: string): void {
  const { mode } = statSync(directory);
  if ((mode & passThrough) === 0) chmodSync(directory, (mode & 0o7777) | 0o011);
}

function ancestors(directory: string): string[] {
  const real = realpathSync(directory);
  const found = [real];
  for (let at = real; path.dirname(at) !== at; at = path.dirname(at)) found.push(path.dirname(at));
  return found;
}
