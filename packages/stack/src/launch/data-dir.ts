import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, realpathSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import path from 'node:path';
import { OperatorError, takeName } from '@panel/programs';
import { nodeRoot } from './node-root.js';

export interface DataDir {
  readonly root: string;
  readonly logs: string;
  /** Pid files and sockets of this run. */
  readonly run: string;
  readonly node: string;
  file(name: string): string;
  unlock(): void;
}

/** Throws OperatorError when unwritable or locked. */
export async function openDataDir(root: string): Promise<DataDir> {
  let directories;
  try {
    // Games of the process runtime run as another user, who must traverse without listing or reading.
    mkdirSync(root, { recursive: true, mode: 0o711 });
    const node = nodeRoot(root, { isRoot: process.getuid?.() === 0 });
    directories = { logs: path.join(root, 'logs'), run: path.join(root, 'run'), node };
    mkdirSync(node, { recursive: true, mode: 0o755 });
    for (const directory of [directories.logs, directories.run]) mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const directory of [root, ...Object.values(directories)])
      accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(
      `cannot write to DATA_DIR ${root} (${codeOf(error)}): set DATA_DIR to a directory of yours`,
    );
  }
  const lock = await takeLock(root);
  return { root, ...directories, file: (name) => path.join(root, name), unlock: () => void lock.close() };
}

/** Elsewhere a socket file, whose stale remains do not count. */
async function takeLock(root: string): Promise<Server> {
  const isLinux = process.platform === 'linux';
  const digest = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 32);
  const name = isLinux ? `\0panel-data-dir-${digest}` : path.join(root, 'lock.sock');
  try {
    return await takeName(name);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    if (isLinux || (await answers(name))) throw taken(root);
    unlinkSync(name);
    return takeName(name);
  }
}

async function answers(name: string): Promise<boolean> {
  const socket = connect(name);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // A stale file of a killed launcher.
    return false;
  } finally {
    socket.destroy();
  }
}

function taken(root: string): OperatorError {
  return new OperatorError(
    `DATA_DIR ${root} is in use by another npm start: stop that one or set DATA_DIR to another directory`,
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
