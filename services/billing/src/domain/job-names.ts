/** Jobs that other work starts at once. */
export type WokenJob = 'sync-servers' | 'meter-subscriptions';
