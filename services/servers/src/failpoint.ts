import { existsSync, writeFileSync } from 'node:fs';

/** Marks a place at which tests end the process or make a step fail; does nothing in production. */
export type Failpoint = (point: string) => void;

/**
 * `spec` is "point:kill", "point:pause" or "point:fail" (FAILPOINT, test builds only). `kill` ends the process as kill -9
 * does, at that point; `pause` halts it there until it gets SIGCONT; `fail` throws there. "point:kill:file" does so once: the
 * file says that it has been done, so that a process that is started again gets past it.
 */
export function createFailpoint(spec: string | undefined): Failpoint {
  if (!spec) return () => undefined;
  const [wanted = '', mode, onceFile] = spec.split(':');
  return (point) => {
    if (point !== wanted || (onceFile && existsSync(onceFile))) return;
    if (onceFile) writeFileSync(onceFile, '');
    if (mode === 'fail') throw new Error(`failpoint at ${point}`);
    process.kill(process.pid, mode === 'pause' ? 'SIGSTOP' : 'SIGKILL');
  };
}
