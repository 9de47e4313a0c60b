export * from '../gen/panel/files/v1/file.js';
