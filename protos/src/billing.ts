export * from '../gen/panel/billing/v1/product.js';
