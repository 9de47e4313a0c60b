export * from './activity-log.js';
export * from './events.js';
export * from './with-activity.js';
