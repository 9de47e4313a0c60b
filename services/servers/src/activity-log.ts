import { randomUUID } from 'node:crypto';
import type { Job, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import { type CollectionOutbox, createEntry, type OutboxMetrics, OutboxWorker } from '@panel/outbox';
import type { ActivityServiceService } from '@panel/protos/admin';
import type { Actor, Client } from '@panel/rpc';
import type { ActivityEntry, ActivityEvent } from './domain/activity.js';

/** Records what users and the panel do with servers, and delivers it to the admin service. */
export interface ActivityLog {
  /**
   * Record an event of an actor; null is the panel itself. Beside the request: an event is lost only when this process dies
   * in the moment after the change. Of events with the same id one is kept.
   */
  record(event: ActivityEvent, actor: Actor | null, id?: string): void;
  /** Deliver what any replica has recorded; none without an admin service. */
  createJobs(): Job[];
}

export interface ActivityLogDeps {
  /** Null: there is no admin service, and nothing is recorded. */
  readonly client: Client<typeof ActivityServiceService> | null;
  readonly outbox: CollectionOutbox<ActivityEntry>;
  readonly tasks: TaskGroup;
  readonly jobs: Pick<Jobs, 'runNow'>;
  readonly metrics: OutboxMetrics;
  readonly log: Logger;
  readonly clock: () => Date;
}

const timeoutMs = 5_000;
const batchSize = 100;
const maxValueLength = 1_000;

export function createActivityLog({ client, outbox, tasks, jobs, metrics, log, clock }: ActivityLogDeps): ActivityLog {
  if (client === null) return { record: () => undefined, createJobs: () => [] };
  const job = new OutboxWorker<ActivityEntry>({
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
        userId: '',
        properties: Object.fromEntries(payload.properties),
      }));
      await client.recordActivity({ events }, { signal, timeoutMs });
    },
  }).asJob();
  return {
    record: (event, actor, id = randomUUID()) => {
      const entry = createEntry(entryOf(event, actor), clock(), id);
      tasks.run('record activity', async () => {
        await outbox.add(entry);
        jobs.runNow(job.name);
      });
    },
    createJobs: () => [job],
  };
}

function entryOf({ event, serverId = '', properties = {} }: ActivityEvent, actor: Actor | null): ActivityEntry {
  const user = actor?.kind === 'user' ? actor : null;
  return {
    event,
    actorId: user?.userId ?? '',
    apiKeyId: user?.method === 'api_key' ? user.credentialId : '',
    ip: user?.ip ?? '',
    serverId,
    properties: Object.entries(properties).map(([name, value]) => [name, value.slice(0, maxValueLength)] as const),
  };
}
