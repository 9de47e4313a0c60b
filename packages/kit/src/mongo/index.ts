export * from './connection.js';
export * from './convert-each.js';
export * from './database-condition.js';
export * from './driver-repair.js';
export * from './job-lease.js';
export * from './page.js';
export * from './window-counter.js';
export * from './records.js';
