export { ApiError } from './api-error.js';
export * from './client.js';
export type { ConsoleMessage, ConsoleSocket } from './console.js';
