export * from './assert-never.js';
export * from './errno.js';
export * from './errors.js';
export * from './failed-call.js';
export * from './field-problem.js';
export * from './issue-messages.js';
