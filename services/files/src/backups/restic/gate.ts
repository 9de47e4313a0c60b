import { constants } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, startProgram } from '../storage/backup-program.js';

/** An empty file that a program reads as soon as it is opened, and waits for until then. */
export interface Gate {
  readonly path: string;
  open(): Promise<void>;
  /** Let go of it, once its program has ended: one that waits would read its end, one that comes later would wait for ever. The files stay. */
  close(): Promise<void>;
}

/** Make one in a directory of its own. Throws BACKUP_TOOL_FAILED. */
export async function createGate(directory: string, signal: AbortSignal): Promise<Gate> {
  const path = join(directory, 'gate');
  const mkfifo = startProgram(['mkfifo', '-m', '600', path], { signal });
  mkfifo.stdin.end();
  for await (const _chunk of outputOf(mkfifo)) {
    // it says nothing
  }
  // while somebody may write to it, its reader waits for more
  const held = await open(path, constants.O_RDWR);
  return {
    path,
    open: async () => {
      // before it is let go: who opens it later would wait for a writer that does not come
      await writeFile(`${path}.open`, '', { mode: 0o600 });
      await rename(`${path}.open`, path);
      await held.close();
    },
    close: async () => held.close(),
  };
}
