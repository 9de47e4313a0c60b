import { existsSync, writeFileSync } from 'node:fs';

export type Failpoint = (point: string) => void;

/**
 * `spec` (the variable FAILPOINT) is "point:kill", "point:pause" or "point:fail": SIGKILL, stop until SIGCONT, or an
 * error. "point:kill:file" kills once, recorded in the file. Several are separated by commas. Warns on stderr.
 */
export function createFailpoint(spec: string | undefined): Failpoint {
  if (!spec) return () => undefined;
  const wanted = new Map(spec.split(',').map((one) => [one.split(':', 1)[0] ?? '', one.split(':').slice(1)]));
  process.emitWarning(`FAILPOINT is set: this process fails on purpose at ${[...wanted.keys()].join(', ')}`);
  return (point) => {
    const [mode, onceFile] = wanted.get(point) ?? [];
    if (mode === undefined || (onceFile && existsSync(onceFile))) return;
    if (onceFile) writeFileSync(onceFile, '');
    if (mode === 'fail') throw new Error(`failpoint at ${point}`);
    process.kill(process.pid, mode === 'pause' ? 'SIGSTOP' : 'SIGKILL');
  };
}
