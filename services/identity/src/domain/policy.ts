import { id, number, oneOf, type RecordOf } from '@panel/kit/records';

/** Identity's settings as last read, also while admin is unavailable. */
export const policyFields = {
  requireTwoFactor: oneOf(['none', 'admins', 'all']),
  sessionsPerUser: number,
  /** Panel name, for authenticator apps. */
  panelName: id,
};
export type Policy = RecordOf<typeof policyFields>;

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
