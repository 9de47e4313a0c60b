export * from './abort.js';
export * from './concurrency-limiter.js';
export * from './first-of.js';
export * from './keyed-mutex.js';
export * from './monotonic-clock.js';
export * from './pause.js';
