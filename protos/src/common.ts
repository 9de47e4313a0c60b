export * from '../gen/panel/common/v1/multiplex.js';
export * from '../gen/panel/common/v1/page.js';
