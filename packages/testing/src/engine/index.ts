export * from './certificates.js';
export * from './containers.js';
export * from './registry.js';
export type * from './registry-login.js';
export * from './test-image.js';
