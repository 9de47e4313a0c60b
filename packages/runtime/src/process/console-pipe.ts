import { spawnSync } from 'node:child_process';
import { chownSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

interface ConsolePipe {
  /** For standard output and error, in order. */
  readonly childEnd: number;
  readonly output: Socket;
  /** Call once the child has it, so that the output ends with the last writer. */
  closeChildEnd(): void;
}

/**
 * A pipe for a child's console. Node uses sockets, which programs cannot open as /dev/stdout. The name is removed
 * before the start.
 */
export function openConsolePipe(directory: string, user: { uid: number; gid: number } | null): ConsolePipe {
  const path = join(directory, `console.${process.pid}`);
  rmSync(path, { force: true });
  const made = spawnSync('mkfifo', ['-m', '600', path], { env: { PATH: '/usr/bin:/bin' } });
  if (made.status !== 0) throw new Error(`mkfifo failed: ${made.error?.message ?? made.stderr.toString()}`);
  if (user) chownSync(path, user.uid, user.gid);
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const childEnd = openSync(path, constants.O_WRONLY);
  rmSync(path);
  const output = new Socket({ fd: readEnd, readable: true, writable: false });
  return { childEnd, output, closeChildEnd: () => closeSync(childEnd) };
}

/** Resolves at the output's end or after `ms`: a stray process may hold the pipe. */
export async function outputEnded(output: Socket, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      output.destroy();
      resolve();
    }
    if (output.readableEnded || output.destroyed) done();
    else output.once('end', done).once('close', done);
  });
}
