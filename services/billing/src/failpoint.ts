/** Marks a place at which tests end the process or make a step fail; does nothing in production. */
export type Failpoint = (point: string) => void;

/**
 * `spec` is "point:kill" or "point:fail" (FAILPOINT, test builds only). `kill` ends the process as kill -9 does, at that
 * point; `fail` throws there.
 */
export function createFailpoint(spec: string | undefined): Failpoint {
  if (!spec) return () => undefined;
  const [wanted = '', mode] = spec.split(':');
  return (point) => {
    if (point !== wanted) return;
    if (mode === 'fail') throw new Error(`failpoint at ${point}`);
    process.kill(process.pid, 'SIGKILL');
  };
}
