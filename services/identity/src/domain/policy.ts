/** Identity's settings as last read, also while admin is unavailable. */
export interface Policy {
  readonly requireTwoFactor: 'none' | 'admins' | 'all';
  readonly sessionsPerUser: number;
  /** Panel name, for authenticator apps. */
  readonly panelName: string;
}

/** Before the first read. */
export const defaultPolicy: Policy = { requireTwoFactor: 'none', sessionsPerUser: 50, panelName: 'Panel' };

const maxSessionsPerUser = 1000;

export function boundSessions(sessionsPerUser: number): number {
  return Math.min(maxSessionsPerUser, Math.max(1, sessionsPerUser));
}

/** `admins`: every holder of a permission. */
export function isTwoFactorRequired({ requireTwoFactor }: Policy, permissions: readonly string[]): boolean {
  return requireTwoFactor === 'all' || (requireTwoFactor === 'admins' && permissions.length > 0);
}

export function isSamePolicy(one: Policy, other: Policy): boolean {
  return (
    one.requireTwoFactor === other.requireTwoFactor &&
    one.sessionsPerUser === other.sessionsPerUser &&
    one.panelName === other.panelName
  );
}
