export * from './certificates.js';
export * from './containers.js';
export * from './test-image.js';
