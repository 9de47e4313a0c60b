import { invalidFields, isAppError } from '@panel/kit/errors';
import type { DatabaseHostFields } from '../../domain/databases/database.js';
import type { DatabaseEngines } from '../../database-engines/drivers/engines.js';
import { createPassword, createUserSuffix } from '../../database-engines/secrets.js';

/**
 * Connects, makes a database with its user, lists, and drops both. Resolves with the host's version. Throws
 * INVALID_FIELDS naming `host` or `username`, with the reason.
 */
export async function testHost(engines: DatabaseEngines, host: DatabaseHostFields): Promise<string> {
  const engine = engines[host.engine];
  const suffix = createUserSuffix();
  // A server-like name: the comparison of hosts finds it after a crash.
  const spec = { name: `s00000000_${suffix}`, username: `u00000000_${suffix}`, remote: '%', maxConnections: 1 };
  try {
    const version = await engine.version(host);
    try {
      await engine.create(host, spec, createPassword());
      await engine.setPassword(host, spec, createPassword());
      await engine.sizes(host, [spec.name]);
      await engine.inventory(host);
    } finally {
      await engine.drop(host, spec);
    }
    return version;
  } catch (error) {
    if (!isAppError(error, 'DATABASE_HOST_UNREACHABLE', 'DATABASE_HOST_REFUSED')) throw error;
    const { field, problem } = error.metadata;
    const message = typeof problem === 'string' ? problem : error.message;
    throw invalidFields({ [field === 'username' ? 'username' : 'host']: [message] });
  }
}
