export * from './fields.js';
export * from './message-fields.js';
export * from './words.js';
