import { constants } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, startProgram } from '../storage/backup-program.js';

/** An empty file that a program reads as soon as it is opened, and waits for until then. */
interface Gate {
  readonly path: string;
  open(): Promise<void>;
  /** Close it once its program has ended: a waiting reader would read its end, a later one would wait for ever. The files stay. */
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
  // its reader waits while it is open for writing
  const held = await open(path, constants.O_RDWR);
  return {
    path,
    open: async () => {
      // before it is closed: a later reader of the pipe would wait for ever
      await writeFile(`${path}.open`, '', { mode: 0o600 });
      await rename(`${path}.open`, path);
      await held.close();
    },
    close: async () => held.close(),
  };
}
