export * from '../gen/panel/common/v1/exchange.js';
export * from '../gen/panel/common/v1/page.js';
