import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const password = 'a long enough password';

const salt = ['s5v5PKCqEVc6CPBHy8ZMG7lxQzpvuxBxPVRFgB3DZoyHKlrDJJ2qqvVJqcv8AqLsFvimPxtorEOovp1Pk8o/Aw=='].join('');
const sealedKey = [
  'kj1MqeQ+zsgwzZbYmswqIOexbquVSfzyCurwW/b0B1KYjkCvO+caQzsxFvTrUdXaPPP/CT5ldAaFFfMHZ5bDn4xAYwn/ZLUYpEsQ',
  '3FzuGDddCUTZtOGiUN+PV1Fl6qDuBEoWteBbHTpqfw1KPAYoMD4SYw7uo69Rcy+XEXPQgoYTVCAuyILY5Y13V6Iimz4Ef4gUs/ok',
  '/f2Vzi7k8RIo9A==',
].join('');
const config = [
  'RotxIfsgIWo5YLb2F7PMno1aIqIEKmr81yMy3M7SGZdOETZZqNopmPwIxeBlFhakCXyv/jvusfhrY6qMaZAizP0igqtB0lxMYwzL',
  '4CyoIsV7qcjNFtfM92HolrImRh7Uw1KnfDhItQWRSvj5zYU/r2430xaB+GNvLaC6qUM2ZmPssll+SOtg/yhDImz7H4NKMx9LvWVo',
  'bGYBqi8=',
].join('');

const user = { created: '2026-01-01T00:00:00Z', username: 'panel', hostname: 'panel' };
const key = Buffer.from(JSON.stringify({ ...user, kdf: 'scrypt', N: 2, r: 8, p: 1, salt, data: sealedKey }));

/**
 * What `restic init` has made of version 2, by path; its key was then sealed with the least costs of scrypt. restic
 * chooses costs of half a second of processor time, for each of its starts.
 */
export const quickRepository: ReadonlyMap<string, Buffer> = new Map([
  [`keys/${createHash('sha256').update(key).digest('hex')}`, key],
  ['config', Buffer.from(config, 'base64')],
]);

export async function makeQuickRepository(repository: string): Promise<void> {
  for (const [name, content] of quickRepository) {
    const file = path.join(repository, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
  }
}
