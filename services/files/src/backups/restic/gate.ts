import { constants } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, startProgram } from '../storage/backup-program.js';

/** An empty file whose reader blocks until the gate opens. */
interface Gate {
  readonly path: string;
  open(): Promise<void>;
  /** Only after its program has ended: a waiting reader would get EOF, a later one block forever. Keeps the files. */
  close(): Promise<void>;
}

/** In a directory of its own. Throws BACKUP_TOOL_FAILED. */
export async function createGate(directory: string, signal: AbortSignal): Promise<Gate> {
  const path = join(directory, 'gate');
  const mkfifo = startProgram(['mkfifo', '-m', '600', path], { signal });
  mkfifo.stdin.end();
  for await (const _chunk of outputOf(mkfifo)) {
    // no output
  }
  // open for writing, it blocks its reader
  const held = await open(path, constants.O_RDWR);
  return {
    path,
    open: async () => {
      // before the close: a later reader of the pipe would block forever
      await writeFile(`${path}.open`, '', { mode: 0o600 });
      await rename(`${path}.open`, path);
      await held.close();
    },
    close: async () => held.close(),
  };
}
