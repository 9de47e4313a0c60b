import { invalidFields, isAppError } from '@panel/kit/errors';
import type { DatabaseHostFields } from '../../domain/databases/database.js';
import type { DatabaseEngines } from '../../database-engines/drivers/engines.js';
import { createPassword, createUserSuffix } from '../../database-engines/secrets.js';

/**
 * Prove that the panel can do on a host what it will have to: connect, make a database with its user, list, and drop both.
 * Resolves with what the host calls itself. Throws INVALID_FIELDS naming `host` or `username`, with what went wrong.
 */
export async function testHost(engines: DatabaseEngines, host: DatabaseHostFields): Promise<string> {
  const engine = engines[host.engine];
  const suffix = createUserSuffix();
  // Named as a server's would be, so that what a crash leaves here is found by the comparison of hosts.
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
