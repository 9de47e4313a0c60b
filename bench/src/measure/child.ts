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
  readonly core?: number;
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
  const ready = await Promise.race([nextMessage(child, 'ready'), exit.then(() => null)]);
  if (ready === null || child.pid === undefined) throw new Error(`${program} did not start`);
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

export async function nextMessage(child: ChildProcess, type: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      const given = message as Readonly<Record<string, unknown>>;
      if (given['type'] !== type) return;
      child.off('message', take);
      resolve(given);
    };
    child.on('message', take);
  });
}
