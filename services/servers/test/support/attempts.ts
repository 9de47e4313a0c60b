import { createLogger, type Jobs } from '@panel/kit/process';

/** What periodic work needs for its items, and the items that failed, as `job id`. */
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
