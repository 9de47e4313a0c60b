import { existsSync, writeFileSync } from 'node:fs';

export type Failpoint = (point: string) => void;

/**
 * `spec` (the variable FAILPOINT) is "point:kill", "point:pause" or "point:fail": SIGKILL, stop until SIGCONT, or an
 * error. "point:kill:file" kills once, recorded in the file. Warns on stderr.
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
