import { randomUUID } from 'node:crypto';
import type { Actor, Client } from '@panel/rpc';
import { isAppError, type Jobs, type Logger, type TaskGroup } from '@panel/kit';
import type { ActivityEvent as ActivityEventMessage, ActivityServiceService } from '@panel/protos/admin';
import type { ActivityEntry, ActivityOutbox } from '../models/activity-outbox.js';

/** Something that happened, for the activity log. */
export interface ActivityEvent {
  /** Area and verb, like server:power.start. */
  readonly event: string;
  /** Empty or missing: about no server. */
  readonly serverId?: string;
  /** Facts to show; values are cut at 1,000 characters. Nothing secret. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Notes down what people and the panel do with servers, and brings it to the admin service. */
export interface ActivityLog {
  /**
   * Note down what an actor has done; null is the panel itself. Beside the request: an entry is lost only when this process
   * dies in the moment after the change. Of entries with the same id one is kept.
   */
  record(event: ActivityEvent, actor: Actor | null, id?: string): void;
  /** Begin to deliver what any replica has noted down. */
  start(): void;
}

export interface ActivityParts {
  /** Null: there is no admin service, and nothing is noted down. */
  readonly client: Client<typeof ActivityServiceService> | null;
  readonly outbox: ActivityOutbox;
  readonly tasks: TaskGroup;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly clock: () => Date;
}

const intervalMs = 1_000;
const timeoutMs = 5_000;
const batchSize = 100;
const maxValueLength = 1_000;

export function createActivityLog(parts: ActivityParts): ActivityLog {
  const { client, outbox, tasks, jobs, log, clock } = parts;
  if (client === null) return { record: () => undefined, start: () => undefined };
  let isSilent = false;
  const deliver = async (signal: AbortSignal) => {
    const entries = await outbox.pending(batchSize);
    if (entries.length === 0) return;
    const isDone = await isDelivered(log, async () =>
      client.recordActivity({ events: entries.map(eventOf) }, { signal, timeoutMs }),
    );
    if (isDone) await outbox.remove(entries.map(({ _id }) => _id));
    else if (!isSilent) log.warn('the admin service does not take activity: trying again');
    isSilent = !isDone;
  };
  return {
    record: (event, actor, id = randomUUID()) => {
      const entry = entryOf(event, actor, { id, at: clock() });
      tasks.run('note down activity', async () => outbox.add(entry));
    },
    start: () => jobs.start([{ name: 'deliver-activity', intervalMs, run: deliver }]),
  };
}

/** Whether entries need not be sent again: taken, or such that they never will be. */
async function isDelivered(log: Logger, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    const isHopeless = isAppError(error) && error.kind === 'invalid_argument';
    if (isHopeless) log.error({ err: error }, 'activity that can never be delivered is dropped');
    return isHopeless;
  }
}

function entryOf(recorded: ActivityEvent, actor: Actor | null, { id, at }: { id: string; at: Date }): ActivityEntry {
  const { event, serverId = '', properties = {} } = recorded;
  const person = actor?.kind === 'user' ? actor : null;
  const cut = Object.entries(properties).map(([name, value]) => [name, value.slice(0, maxValueLength)] as const);
  return {
    _id: id,
    event,
    at,
    actorId: person?.userId ?? '',
    apiKeyId: person?.method === 'api_key' ? person.credentialId : '',
    ip: person?.ip ?? '',
    serverId,
    properties: Object.fromEntries(cut),
  };
}

function eventOf({ _id, at, properties, ...entry }: ActivityEntry): ActivityEventMessage {
  return { ...entry, id: _id, time: at, userAgent: '', userId: '', properties: { ...properties } };
}
