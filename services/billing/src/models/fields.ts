export { maxQueryMs } from '@panel/kit/mongo';

/** Without `$type` the planner skips partial indexes and scans. */
export const until = (time: Date) => ({ $lte: time, $type: 'date' }) as const;
