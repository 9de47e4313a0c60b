import { addProblem, type FieldMessages, requireValid } from '@panel/kit/errors';
import { readHost } from './read-host.js';
import { type GivenLogin, readLogin, type RegistryLogin } from './read-login.js';
import type { Registry } from './registry.js';

export interface GivenRegistry extends GivenLogin {
  readonly host?: string | undefined;
  /** Null: for all eggs. */
  readonly eggId?: string | null | undefined;
}

interface CheckedRegistry extends RegistryLogin {
  readonly host: string;
  readonly eggId: string | null;
}

/** What `given` makes of a registry; `before`: null at creation. Throws INVALID_FIELDS naming every REST field. */
export function checkRegistry(given: GivenRegistry, before: Registry | null): CheckedRegistry {
  const fields: FieldMessages = {};
  const host = readHost(given.host ?? before?.host ?? '', fields);
  const login = readLogin(given, before, fields);
  // Staff who change a registry may not read its secret through a host of their own.
  const hasSecret = [given.password, given.auth, given.identityToken].some((secret) => secret !== undefined);
  if (before && host !== before.host && !hasSecret)
    addProblem(
      fields,
      'host',
      `needs the credentials in the same request: the stored ones are for ${before.host} alone`,
    );
  requireValid(fields);
  return { host, eggId: given.eggId === undefined ? (before?.eggId ?? null) : given.eggId, ...login };
}
