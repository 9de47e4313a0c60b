export * from './own-bytes.js';
export * from './run-job.js';
export * from './thread-failure.js';
export * from './thread-pool.js';
export * from './thread-turns.js';
export * from './turn-queue.js';
