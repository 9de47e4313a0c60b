/** Jobs that other work starts at once, because there is something to do for them. */
export type WokenJob = 'sync-servers' | 'meter-subscriptions';
