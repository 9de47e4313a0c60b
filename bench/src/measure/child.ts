import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadCore, pin } from './process.js';

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its ready message. */
  readonly ready: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

export function ownProgram(name: string): string {
  return fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url));
}

interface ChildOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly core?: number | 'any';
  readonly nodeOptions?: readonly string[];
}

/** Starts a program that sends `{type: 'ready', …}`; rejects when it ends before. */
export async function startChild(program: string, options: ChildOptions = {}): Promise<Child> {
  const { env = {}, core = loadCore, nodeOptions = [] } = options;
  const child = fork(program, {
    env: { PATH: process.env.PATH, ...env },
    execArgv: [...nodeOptions],
    stdio: 'inherit',
  });
  const exit = once(child, 'exit');
  const ready = await nextMessage(child, 'ready');
  if (child.pid === undefined) throw new Error(`${program} did not start`);
  pin(child.pid, core);
  return {
    process: child,
    pid: child.pid,
    ready,
    stop: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** Rejects when the process ends before. */
export async function nextMessage(child: ChildProcess, type: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const take = (message: unknown) => {
      const given = message as Readonly<Record<string, unknown>>;
      if (given['type'] !== type) return;
      child.off('message', take).off('exit', end);
      resolve(given);
    };
    const end = () => reject(new Error(`${child.spawnargs.join(' ')} ended before it sent ${type}`));
    child.on('message', take).once('exit', end);
  });
}
