export * from './client-options.js';
export * from './run-script.js';
