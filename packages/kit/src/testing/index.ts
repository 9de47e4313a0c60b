export * from './deferred.js';
export * from './wait-until.js';
