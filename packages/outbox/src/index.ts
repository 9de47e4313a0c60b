export * from './apply-once.js';
export * from './entry.js';
export * from './metrics.js';
export * from './models/collection-outbox.js';
export * from './models/embedded-outbox.js';
export * from './store.js';
export * from './worker.js';
