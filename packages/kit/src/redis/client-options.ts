/**
 * Common to all Redis clients. Without an answer for `socketTimeout` ms a connection is replaced: the kernel detects a
 * dead machine only after a quarter of an hour.
 */
export const redisClientOptions = { maxRetriesPerRequest: 0, socketTimeout: 3_000 } as const;
