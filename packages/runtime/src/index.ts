export * from './docker/docker-runtime.js';
export { pingEngine } from './docker/ping-engine.js';
export type { NetworkSettings } from './docker/network.js';
export * from './process/process-runtime.js';
export * from './process/processes.js';
export { runtimeError } from './reasons.js';
export * from './runtime.js';
