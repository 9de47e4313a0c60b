import { existsSync, writeFileSync } from 'node:fs';

/** Marks a place at which a test ends the process or makes a step fail; does nothing without a specification. */
export type Failpoint = (point: string) => void;

/**
 * `spec` (the variable FAILPOINT) is "point:kill", "point:pause" or "point:fail". `kill` ends the process as kill -9 does, at that
 * point; `pause` halts it there until it gets SIGCONT; `fail` throws there. "point:kill:file" does so once: the file says
 * that it has been done, so that a process that is started again gets past it. Warns on the standard error output.
 */
export function createFailpoint(spec: string | undefined): Failpoint {
  if (!spec) return () => undefined;
  const [wanted = '', mode, onceFile] = spec.split(':');
  process.emitWarning(`FAILPOINT is set: this process fails on purpose at ${wanted}`);
  return (point) => {
    if (point !== wanted || (onceFile && existsSync(onceFile))) return;
    if (onceFile) writeFileSync(onceFile, '');
    if (mode === 'fail') throw new Error(`failpoint at ${point}`);
    process.kill(process.pid, mode === 'pause' ? 'SIGSTOP' : 'SIGKILL');
  };
}
