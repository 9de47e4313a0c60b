export * from '../gen/panel/servers/v1/allocation.js';
export * from '../gen/panel/servers/v1/egg.js';
export * from '../gen/panel/servers/v1/node.js';
export * from '../gen/panel/servers/v1/ownership.js';
export * from '../gen/panel/servers/v1/schedule.js';
export * from '../gen/panel/servers/v1/server.js';
export * from '../gen/panel/servers/v1/subuser.js';
export * from './server-permissions.js';
