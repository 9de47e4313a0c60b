export { readStackConfig, type RuntimeChoice, type StackConfig } from './config.js';
export { detectEngine, type Engine } from './engine/detect-engine.js';
export { OperatorError, silent, type LogLine } from './log.js';
export { databaseUrl } from './mongo/database-url.js';
export { startMongo, type MongoOptions, type RunningMongo } from './mongo/start-mongo.js';
export { startRedis, type RedisOptions, type RunningRedis } from './redis/start-redis.js';
export { demoEggs, readEgg } from './seed/demo.js';
export { startStack, type Stack, type StackOptions } from './stack.js';
