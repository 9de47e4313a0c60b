export * from './deferred.js';
export * from './reason-of.js';
export * from './real-time.js';
export * from './wait-until.js';
export * from './fake-collector.js';
export * from './manual-clock.js';
export * from './processor-time.js';
export * from './quickest.js';
