export * from './csv-cell.js';
export * from './decimal.js';
export * from './file-path.js';
export * from './image-reference.js';
export * from './one-line.js';
export * from './processor-list.js';
export * from './snake-case.js';
export * from './timezone.js';
