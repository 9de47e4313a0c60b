/**
 * What every Redis client of ours has. A connection on which a command was not answered for `socketTimeout` ms is given up for
 * another one: when the machine behind it is gone, the kernel notices only after a quarter of an hour.
 */
export const redisClientOptions = { maxRetriesPerRequest: 0, socketTimeout: 3_000 } as const;
