import type { TaskGroup } from '@panel/kit/process';

/**
 * Run work as a task of the process and wait for its end: it continues when the caller has stopped waiting, a stop of the
 * process waits for it, and its failure is logged, not thrown.
 */
export async function runAsTask(
  tasks: TaskGroup,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    tasks.run(name, async (signal) => work(signal).finally(resolve));
  });
}
