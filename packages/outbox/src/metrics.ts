import { Counter, Gauge, type Registry } from 'prom-client';
import type { OutboxCounts } from './store.js';

type DeliveryResult = 'delivered' | 'retried' | 'parked' | 'unavailable';

export interface OutboxMetrics {
  countDelivery(outbox: string, result: DeliveryResult, entries?: number): void;
  setCounts(outbox: string, counts: OutboxCounts): void;
}

/** Once per registry. */
export function createOutboxMetrics(registry: Registry): OutboxMetrics {
  const shared = { labelNames: ['outbox'], registers: [registry] };
  const deliveries = new Counter({
    name: 'outbox_deliveries_total',
    help: 'Outbox entries by the result of their delivery.',
    labelNames: ['outbox', 'result'],
    registers: [registry],
  });
  const pending = new Gauge({
    ...shared,
    name: 'outbox_pending_documents',
    help: 'Documents with entries that are not delivered.',
  });
  const parked = new Gauge({
    ...shared,
    name: 'outbox_parked_entries',
    help: 'Entries that were given up and kept. An operator looks at each.',
  });
  return {
    countDelivery: (outbox, result, entries = 1) => deliveries.inc({ outbox, result }, entries),
    setCounts: (outbox, { pendingDocuments, parkedEntries }) => {
      pending.set({ outbox }, pendingDocuments);
      parked.set({ outbox }, parkedEntries);
    },
  };
}
