export { readStackConfig, type RuntimeChoice, type StackConfig } from './config.js';
export { detectEngine, type Engine } from './engine/detect-engine.js';
export { modularProgram } from './launch/plan.js';
export { demoEggs, readEgg } from './seed/demo.js';
export { startStack, type Stack, type StackOptions } from './stack.js';
