export type WokenJob = 'sync-servers' | 'meter-subscriptions' | 'recover-refunds' | 'lift-debts';
