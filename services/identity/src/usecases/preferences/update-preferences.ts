import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Replace the preferences of a user. Throws INVALID_TOKEN when the account was deleted meanwhile. */
export async function updatePreferences(
  { clock, preferences, users }: IdentityContext,
  userId: string,
  json: string,
): Promise<void> {
  await preferences.write(userId, json, clock());
  // A deletion of the user may have removed them before this write.
  if ((await users.findById(userId)) !== null) return;
  await preferences.removeOfUser(userId);
  throw fail('INVALID_TOKEN', 'the account does not exist any more');
}
