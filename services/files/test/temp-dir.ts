import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Files beside `root` must stay unreachable. */
export interface TempDir {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  remove(): Promise<void>;
}

export const outsideSecret = 'a secret of the host';

export async function createTempDir(): Promise<TempDir> {
  const base = await mkdtemp(path.join(tmpdir(), 'panel-jail-'));
  const root = path.join(base, 'root');
  const outside = path.join(base, 'outside');
  await mkdir(root);
  await mkdir(outside);
  await writeFile(path.join(outside, 'secret'), outsideSecret);
  return { base, root, outside, remove: async () => rm(base, { recursive: true, force: true }) };
}
