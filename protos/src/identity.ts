export * from '../gen/panel/identity/v1/auth.js';
export * from '../gen/panel/identity/v1/account.js';
export * from '../gen/panel/identity/v1/credential.js';
export * from '../gen/panel/identity/v1/role.js';
export * from '../gen/panel/identity/v1/user.js';
export * from './admin-permissions.js';
