import { execFileSync } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, writeFile } from 'node:fs/promises';
import { entryPath, openDirectory, openTrusted } from '../src/jail/node.js';

/** A file whose path below `root` has `bytes` bytes, as a program makes it that changes its directory. */
export async function makeDeepFile(root: string, bytes: number): Promise<void> {
  const depth = Math.floor(bytes / 100) - 1;
  let directory: FileHandle = await openTrusted(root);
  const name = Buffer.from('d'.repeat(99));
  for (let level = 0; level < depth; level += 1) {
    await mkdir(entryPath(directory, name), { recursive: true });
    const next = await openDirectory(directory, name);
    await directory.close();
    directory = next;
  }
  await writeFile(entryPath(directory, Buffer.from('f'.repeat(bytes - depth * 100))), 'deep');
  await directory.close();
}

/** Lengths of the files' paths; node's own calls take paths of 4,095 bytes. */
export function fileLengths(root: string): number[] {
  const found = execFileSync('find', ['.', '-type', 'f', '-printf', '%P\\n'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return found
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => path.length);
}

export function removeDeepTree(root: string): void {
  execFileSync('rm', ['-rf', '--', root]);
}
