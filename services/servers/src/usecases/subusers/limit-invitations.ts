import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';

const windowMs = 15 * 60_000;

/**
 * An invitation reveals accounts and sends mail: limited per user and 15 minutes, over all servers. Throws
 * RATE_LIMIT_EXCEEDED.
 */
export async function limitInvitations(
  { stores, clock, invitationLimit }: Pick<ServersContext, 'stores' | 'clock' | 'invitationLimit'>,
  userId: string,
): Promise<void> {
  const at = clock();
  const { count, endsAt } = await stores.invitationCounts.count(userId, windowMs, at);
  if (count <= invitationLimit) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - at.getTime()) / 1_000));
  const message = `too many invitations: try again in ${retryAfterSeconds} seconds`;
  throw fail('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
