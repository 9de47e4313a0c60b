import { chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isErrno } from '@panel/kit/errors';
import ssh2 from 'ssh2';
import { open, rename, rm } from 'node:fs/promises';
import { syncTrusted } from '../jail/atomic-write.js';

const fileName = 'sftp-host-key';

/** Generated once: clients reject a changed key. Copy the file when moving to another machine. */
export async function loadHostKey(dataRoot: string): Promise<string> {
  const file = path.join(dataRoot, fileName);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  const key = generateUsableKey(() => ssh2.utils.generateKeyPairSync('ed25519').private);
  await writeWhole(dataRoot, file, key);
  return key;
}

/** About 1 in 200 Ed25519 keys from ssh2 1.17 is malformed (lost zero byte). */
export function generateUsableKey(generate: () => string): string {
  for (;;) {
    const key = generate();
    if (isUsable(key)) return key;
  }
}

function isUsable(text: string): boolean {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) return false;
  const probe = 'probe';
  // both may return an Error, contrary to their types
  const signature = key.sign(probe);
  return Buffer.isBuffer(signature) && Object.is(key.verify(probe, signature), true);
}

async function writeWhole(dataRoot: string, file: string, content: string): Promise<void> {
  const temporary = `${file}.part`;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(temporary, 0o600);
  await rename(temporary, file);
  await syncTrusted(dataRoot);
}
