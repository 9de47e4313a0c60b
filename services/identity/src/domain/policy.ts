/** What the settings demand of identity, as last read: it holds while the admin service is unavailable. */
export interface Policy {
  readonly requireTwoFactor: 'none' | 'admins' | 'all';
  readonly sessionsPerUser: number;
  /** Name of the panel, for authenticator apps. */
  readonly panelName: string;
}

/** Holds until the settings are read for the first time. */
export const defaultPolicy: Policy = { requireTwoFactor: 'none', sessionsPerUser: 50, panelName: 'Panel' };

const maxSessionsPerUser = 1000;

export function boundSessions(sessionsPerUser: number): number {
  return Math.min(maxSessionsPerUser, Math.max(1, sessionsPerUser));
}

/**
 * Whether a holder of these permissions must set up two-factor authentication. `admins`: every holder of a permission.
 */
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
