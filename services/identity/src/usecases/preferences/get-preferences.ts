import type { IdentityContext } from '../../context.js';

/** JSON text. */
export async function getPreferences({ preferences }: IdentityContext, userId: string): Promise<string> {
  return (await preferences.read(userId)) ?? '{}';
}
