export * from '../gen/panel/identity/v1/auth.js';
export * from '../gen/panel/identity/v1/account.js';
export * from '../gen/panel/identity/v1/user.js';
