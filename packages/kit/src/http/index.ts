export * from './attachment.js';
export * from './byte-range.js';
export * from './drain-request.js';
export * from './entity-tag.js';
