import type { Subuser } from './subuser.js';

/** To whom they have given access, and to whom those have. */
export function invitedThrough(subusers: readonly Subuser[], { userId }: Pick<Subuser, 'userId'>): readonly Subuser[] {
  const inviters = new Set(userId === null ? [] : [userId]);
  const found = new Set<Subuser>();
  for (const inviter of inviters) {
    for (const subuser of subusers) {
      if (subuser.invitedBy !== inviter || subuser.userId === userId) continue;
      found.add(subuser);
      if (subuser.userId !== null) inviters.add(subuser.userId);
    }
  }
  return [...found];
}
