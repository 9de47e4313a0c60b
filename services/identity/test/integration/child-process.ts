import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const mainFile = fileURLToPath(new URL('../../main.js', import.meta.url));

/** Separate process, as the launcher starts it. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly address: string;
  /** SIGKILL; resolves at the end. */
  kill(): Promise<void>;
}

/** A start takes a second; the rest is for a busy machine. */
const startMs = 45_000;

export async function startServiceProcess(env: Record<string, string>, file = mainFile): Promise<ServiceProcess> {
  const child = fork(file, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.resume();
  child.stderr?.resume();
  const [ready] = (await once(child, 'message', { signal: AbortSignal.timeout(startMs) })) as [{ listen: string }];
  return {
    child,
    address: ready.listen,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Until it exits by itself: exit code and standard error. */
export async function runToEnd(env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const child = fork(mainFile, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stdout?.resume();
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(startMs) })) as [number];
  return { code, stderr };
}
