export * from './lease.js';
export * from './leased-worker.js';
