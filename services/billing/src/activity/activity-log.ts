import { randomUUID } from 'node:crypto';
import type { Job, Logger } from '@panel/kit/process';
import { type CollectionOutbox, createEntry, type OutboxMetrics, OutboxWorker } from '@panel/outbox';
import type { ActivityServiceService } from '@panel/protos/admin';
import type { Actor, Client } from '@panel/rpc';
import type { ActivityEntry, ActivityEvent } from '../domain/activity.js';

/** Records what people do with orders, invoices and money. */
export interface ActivityLog {
  /** Store an event of an actor. Of events with the same id one is retained. */
  record(event: ActivityEvent, actor: Actor, id?: string): Promise<void>;
  /** Delivers what any replica has recorded to the admin service. */
  createJob(): Job;
}

export interface ActivityLogDeps {
  readonly client: Pick<Client<typeof ActivityServiceService>, 'recordActivity'>;
  readonly outbox: CollectionOutbox<ActivityEntry>;
  readonly metrics: OutboxMetrics;
  readonly log: Logger;
  readonly clock: () => Date;
}

const timeoutMs = 5_000;
const batchSize = 100;
const maxValueLength = 1_000;

export function createActivityLog({ client, outbox, metrics, log, clock }: ActivityLogDeps): ActivityLog {
  return {
    record: async (event, actor, id = randomUUID()) => {
      await outbox.add(createEntry(entryOf(event, actor), clock(), id));
    },
    createJob: () =>
      new OutboxWorker<ActivityEntry>({
        name: 'activity',
        store: outbox.store,
        batchSize,
        clock,
        log,
        metrics,
        deliver: async (deliveries, signal) => {
          const events = deliveries.map(({ entry: { id, at, payload } }) => ({
            ...payload,
            id,
            time: at,
            userAgent: '',
            serverId: '',
            properties: Object.fromEntries(payload.properties),
          }));
          await client.recordActivity({ events }, { signal, timeoutMs });
        },
      }).asJob(),
  };
}

function entryOf({ event, userId = '', properties = {} }: ActivityEvent, actor: Actor): ActivityEntry {
  const user = actor.kind === 'user' ? actor : null;
  return {
    event,
    actorId: user?.userId ?? '',
    apiKeyId: user?.method === 'api_key' ? user.credentialId : '',
    ip: user?.ip ?? '',
    userId,
    properties: Object.entries(properties).map(([name, value]) => [name, value.slice(0, maxValueLength)] as const),
  };
}
