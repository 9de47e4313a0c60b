export * from './activity-log.js';
export * from './events.js';
