/** The only reader of the environment in `testing`. */
interface TestConfig {
  /** Used instead of starting a MongoDB. */
  readonly mongoUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly resultsFile: string | undefined;
  /** In CI a missing real component is a failure. */
  readonly isCi: boolean;
  /** `npm test -- --fast`: long tests do less. */
  readonly isFast: boolean;
  /** `npm run test:long`, every night: long tests do all of it. */
  readonly isLong: boolean;
  readonly searchPath: string;
}

export function readTestConfig(env: NodeJS.ProcessEnv = process.env): TestConfig {
  return {
    mongoUrl: env['MONGO_URL'] || undefined,
    redisUrl: env['REDIS_URL'] || undefined,
    resultsFile: env['TEST_RESULTS_FILE'] || undefined,
    isCi: env['CI'] === 'true',
    isFast: env['TEST_FAST'] === 'true',
    isLong: env['TEST_LONG'] === 'true',
    searchPath: env['PATH'] ?? '',
  };
}

/** For programs that a test starts with variables of its own: the path, and this run's cache of compiled modules. */
export function programEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const cache = env['NODE_COMPILE_CACHE'];
  return { PATH: env['PATH'] ?? '', ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) };
}
