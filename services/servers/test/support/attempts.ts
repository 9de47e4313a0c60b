import { createLogger, type Jobs } from '@panel/kit/process';

/** Collects failed items as `job id`. */
export function createAttempts() {
  const failed: string[] = [];
  const attempt: Jobs['attempt'] = async (job, itemId, work) => {
    try {
      await work();
      return true;
    } catch {
      failed.push(`${job} ${itemId}`);
      return false;
    }
  };
  return { log: createLogger({ service: 'test', level: 'silent' }), attempt, failed };
}
