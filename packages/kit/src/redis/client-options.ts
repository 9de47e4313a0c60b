/** `socketTimeout` in ms: the kernel detects a dead machine only after a quarter of an hour. */
export const redisClientOptions = { maxRetriesPerRequest: 0, socketTimeout: 3_000 } as const;
