export * from './account-permissions.js';
export * from './admin-permissions.js';
export * from './rpc-permissions.js';
export * from './server-permissions.js';
