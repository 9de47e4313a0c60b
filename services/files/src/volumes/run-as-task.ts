import type { TaskGroup } from '@panel/kit/process';

/** Continues without its caller; shutdown waits for it. Logs failures instead of throwing. */
export async function runAsTask(
  tasks: TaskGroup,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    tasks.run(name, async (signal) => work(signal).finally(resolve));
  });
}
