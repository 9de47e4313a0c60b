import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Throws INVALID_TOKEN if the account was deleted meanwhile. */
export async function updatePreferences(
  { clock, preferences, users }: IdentityContext,
  userId: string,
  json: string,
): Promise<void> {
  await preferences.write(userId, json, clock());
  // A concurrent deletion may have missed this write.
  if ((await users.findById(userId)) !== null) return;
  await preferences.removeOfUser(userId);
  throw fail('INVALID_TOKEN', 'the account does not exist any more');
}
