export * from '../gen/panel/common/v1/page.js';
