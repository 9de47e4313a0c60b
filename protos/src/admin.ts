export * from '../gen/panel/admin/v1/activity.js';
export * from '../gen/panel/admin/v1/mail.js';
export * from '../gen/panel/admin/v1/settings.js';
export * from '../gen/panel/admin/v1/test_clock.js';
