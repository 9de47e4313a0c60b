import type { TaskGroup } from '@panel/kit/process';
import { createEntry, type OutboxEntry } from '@panel/outbox';
import type { Actor } from '@panel/rpc';
import type { ActivityPayload } from '../domain/outbox.js';
import type { UserOutboxes } from '../models/outbox.js';

/** An action for the activity log. */
export interface ActivityEvent {
  readonly event: string;
  readonly actor: Actor;
  /** Whose account it is about. */
  readonly userId: string;
  /** Set where the actor is not known to be a user yet (sign-in). */
  readonly actorId?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

interface ActivityDependencies {
  /** Null without an admin service: nothing is recorded. */
  readonly admin: object | null;
  readonly outboxes: Pick<UserOutboxes, 'addActivity'>;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
}

/**
 * Record an action beside the request, in the outbox of the acting user, or else of the user it is about. A process that
 * dies right after the change itself loses the entry.
 */
export function recordActivity(dependencies: ActivityDependencies, activity: ActivityEvent): void {
  const entry = activityEntry(dependencies, activity);
  if (entry === null) return;
  const inbox = entry.payload.actorId || entry.payload.userId;
  dependencies.tasks.run('record activity', async () => dependencies.outboxes.addActivity(inbox, entry));
}

/** An action as an outbox holds it; null where none is recorded. */
export function activityEntry(
  { admin, clock }: Pick<ActivityDependencies, 'admin' | 'clock'>,
  activity: ActivityEvent,
): OutboxEntry<ActivityPayload> | null {
  if (admin === null) return null;
  const { actor, event, userId, properties = {} } = activity;
  const actorId = actor.kind === 'user' ? actor.userId : (activity.actorId ?? '');
  const apiKeyId = actor.kind === 'user' && actor.method === 'api_key' ? actor.credentialId : '';
  return createEntry({ event, actorId, apiKeyId, ip: actor.ip, userId, properties }, clock());
}
