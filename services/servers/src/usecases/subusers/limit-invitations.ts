import { rateLimited } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';

const windowMs = 15 * 60_000;

/**
 * An invitation reveals accounts and sends mail: limited per user and 15 minutes, over all servers. Throws
 * RATE_LIMIT_EXCEEDED.
 */
export async function limitInvitations(
  {
    stores,
    installationClock,
    invitationLimit,
  }: Pick<ServersContext, 'stores' | 'installationClock' | 'invitationLimit'>,
  userId: string,
): Promise<void> {
  const at = installationClock();
  const { count, endsAt } = await stores.invitationCounts.count(userId, windowMs, at);
  if (count <= invitationLimit) return;
  const remainingMs = endsAt.getTime() - at.getTime();
  throw rateLimited('too many invitations', { name: 'invitations', max: invitationLimit, remainingMs });
}
