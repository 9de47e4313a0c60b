export { type CronFields, findCronProblems, isCronError, parseCron } from './cron.js';
export { cronFieldNames } from './cron-field.js';
