import { randomUUID } from 'node:crypto';
import type { MongoConnection } from '@panel/kit/mongo';
import type { Job, Jobs, Logger } from '@panel/kit/process';
import { createCollectionOutbox, type OutboxMetrics, OutboxWorker } from '@panel/outbox';
import type { ActivityServiceService } from '@panel/protos/admin';
import { type Actor, type CallContext, type Client, derivedId } from '@panel/rpc';
import type { ActivityEvent } from './events.js';

/** Delivered to the admin service. */
export interface ActivityLog {
  /**
   * Null is the panel. Once stored it arrives exactly once, across crashes. Events with the same id are stored once. A
   * storage failure is logged, never thrown, because the action is done.
   */
  record(event: ActivityEvent, actor: Actor | null, id?: string): Promise<void>;
  /** Replaces the state under its id. False when not stored, which is logged. */
  recordOngoing(event: ActivityEvent, actor: Actor | null, progress: OngoingEvent): Promise<boolean>;
  /** Deliver entries of all replicas; empty without an admin service. */
  readonly jobs: readonly Job[];
}

interface OngoingEvent {
  readonly id: string;
  readonly at: Date;
  readonly dueAt: Date;
}

interface ActivityLogDeps {
  /** Null: without an admin service nothing is recorded. */
  readonly client: Pick<Client<typeof ActivityServiceService>, 'recordActivity'> | null;
  readonly mongo: MongoConnection;
  readonly jobs: Pick<Jobs, 'runNow'>;
  readonly metrics: OutboxMetrics;
  readonly log: Logger;
  readonly clock: () => Date;
}

/** A pending event. Empty texts mean none. */
interface ActivityEntry {
  readonly event: string;
  readonly actorId: string;
  readonly apiKeyId: string;
  readonly ip: string;
  readonly userId: string;
  readonly serverId: string;
  readonly properties: Readonly<Record<string, string>>;
}

const timeoutMs = 5_000;
const intervalMs = 1_000;
const batchSize = 100;
/** Below the admin service's limit. */
const maxValueLength = 4_000;
const retentionDays = 7;

/** In the collection `activity_outbox`. Run `jobs` with the other jobs. */
export function createActivityLog({ client, mongo, jobs, metrics, log, clock }: ActivityLogDeps): ActivityLog {
  if (client === null) return { record: async () => undefined, recordOngoing: async () => true, jobs: [] };
  const outbox = createCollectionOutbox<ActivityEntry>(mongo, 'activity_outbox', { retentionDays });
  const job = new OutboxWorker<ActivityEntry>({
    name: 'activity',
    // What another replica, or this one before its end, has stored is seen soon.
    intervalMs,
    store: outbox.store,
    batchSize,
    clock,
    log,
    metrics,
    deliver: async (deliveries, signal) => {
      const events = deliveries.map(({ entry: { id, at, payload } }) => ({ ...payload, id, time: at, userAgent: '' }));
      await client.recordActivity({ events }, { signal, timeoutMs });
    },
  }).asJob();
  const store = async (event: string, dueAt: Date, write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
    } catch (error) {
      log.error({ err: error, event }, 'an activity was not recorded');
      return false;
    }
    if (dueAt <= clock()) jobs.runNow(job.name);
    return true;
  };
  return {
    record: async (event, actor, id = randomUUID()) => {
      const entry = { id, at: clock(), payload: entryOf(event, actor) };
      await store(event.event, entry.at, async () => outbox.add(entry));
    },
    recordOngoing: async (event, actor, { id, at, dueAt }) =>
      store(event.event, dueAt, async () => outbox.replace({ id, at, payload: entryOf(event, actor) }, dueAt)),
    jobs: [job],
  };
}

function entryOf({ event, userId = '', serverId = '', ...rest }: ActivityEvent, actor: Actor | null): ActivityEntry {
  const user = actor?.kind === 'user' ? actor : null;
  const facts: Readonly<Record<string, string | undefined>> = rest.properties ?? {};
  return {
    event,
    actorId: user?.userId ?? rest.actorId ?? '',
    apiKeyId: user?.method === 'api_key' ? user.credentialId : '',
    // Omit a process's address.
    ip: actor === null || actor.kind === 'service' ? '' : actor.ip,
    userId,
    serverId,
    properties: Object.fromEntries(
      Object.entries(facts).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value.slice(0, maxValueLength)]],
      ),
    ),
  };
}

type Work<Request, Response> = (request: Request, call: CallContext) => Promise<Response>;

/** After its success and before its answer: a repeated creation once, nothing when `describe` returns null. */
export function withActivity<Request, Response>(
  activity: Pick<ActivityLog, 'record'>,
  work: Work<Request, Response>,
  describe: (request: Request, response: Response) => ActivityEvent | null,
): Work<Request, Response> {
  return async (request, call) => {
    const response = await work(request, call);
    const event = describe(request, response);
    const id = call.idempotencyId === undefined ? undefined : derivedId(call.idempotencyId, 'activity');
    if (event !== null) await activity.record(event, call.actor, id);
    return response;
  };
}
