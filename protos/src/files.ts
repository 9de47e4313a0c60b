export * from '../gen/panel/files/v1/backup.js';
export * from '../gen/panel/files/v1/file.js';
