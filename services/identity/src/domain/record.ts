import { randomUUID } from 'node:crypto';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../context.js';
import type { ActivityEntry } from '../models/user-document.js';

/** Something that happened, for the activity log. */
export interface Happening {
  readonly event: string;
  readonly actor: Actor;
  /** Whose account it is about. */
  readonly userId: string;
  /** Set where the actor is not known to be a user yet (sign-in). */
  readonly actorId?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/**
 * Note down what happened, beside the request: in the outbox of the user who did it, or else of the one it is about. An
 * entry is lost only when this process dies in the moment after the change itself.
 */
export function record(context: IdentityContext, happening: Happening): void {
  if (context.news === null) return;
  const entry = entryOf(context, happening);
  const inbox = entry.actorId || entry.userId;
  context.tasks.run('record activity', async () => context.newsStore.addActivity(inbox, entry));
}

/** What happened, as an outbox holds it. */
export function entryOf({ clock }: IdentityContext, happening: Happening): ActivityEntry {
  const { actor, event, userId, properties = {} } = happening;
  const actorId = actor.kind === 'user' ? actor.userId : (happening.actorId ?? '');
  const apiKeyId = actor.kind === 'user' && actor.method === 'api_key' ? actor.credentialId : '';
  return { id: randomUUID(), event, at: clock(), actorId, apiKeyId, ip: actor.ip, userId, properties };
}
