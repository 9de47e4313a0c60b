import { createEntry, type OutboxEntry } from '@panel/outbox';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../context.js';
import type { ActivityPayload } from '../domain/outbox.js';

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

/**
 * Record an action beside the request: in the outbox of the acting user, or else of the user it is about. The entry is lost
 * only if this process dies right after the change itself.
 */
export function recordActivity(context: IdentityContext, activity: ActivityEvent): void {
  if (!context.hasAdminService) return;
  const entry = activityEntry(context, activity);
  const inbox = entry.payload.actorId || entry.payload.userId;
  context.tasks.run('record activity', async () => context.outboxes.addActivity(inbox, entry));
}

/** An action as an outbox holds it. */
export function activityEntry({ clock }: IdentityContext, activity: ActivityEvent): OutboxEntry<ActivityPayload> {
  const { actor, event, userId, properties = {} } = activity;
  const actorId = actor.kind === 'user' ? actor.userId : (activity.actorId ?? '');
  const apiKeyId = actor.kind === 'user' && actor.method === 'api_key' ? actor.credentialId : '';
  return createEntry({ event, actorId, apiKeyId, ip: actor.ip, userId, properties }, clock());
}
