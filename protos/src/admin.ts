export * from '../gen/panel/admin/v1/settings.js';
