import { createOnce } from '@panel/rpc';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { checkHost } from '../../domain/databases/check-database.js';
import type { DatabaseHost, DatabaseHostFields } from '../../domain/databases/database.js';
import type { Stores } from '../../models/stores.js';
import { getDatabaseHost } from './get-database-host.js';
import { testHost } from './test-host.js';

/**
 * Tests connection and privileges first. Idempotent by `idempotencyId`. Throws INVALID_FIELDS,
 * DATABASE_HOST_NAME_TAKEN.
 */
export async function createDatabaseHost(
  {
    stores,
    clock,
    databaseEngines,
    nodePolicy,
  }: Pick<ServersContext, 'stores' | 'clock' | 'databaseEngines' | 'nodePolicy'>,
  fields: DatabaseHostFields,
  idempotencyId?: string,
): Promise<DatabaseHost> {
  checkHost(fields, nodePolicy.isAllowedAddress);
  await checkNodes(stores, fields.nodeIds);
  const { object } = await createOnce(idempotencyId, {
    find: async (id) => stores.databaseHosts.get(id),
    create: async (id) => {
      const version = await testHost(databaseEngines, fields);
      await stores.databaseHosts.create(id, fields, version, clock());
      return getDatabaseHost({ stores }, id);
    },
  });
  return object;
}

/** Throws INVALID_FIELDS for an unknown node. */
export async function checkNodes({ nodes }: Pick<Stores, 'nodes'>, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  const names = await nodes.names();
  if (nodeIds.some((id) => !names.has(id)))
    throw invalidFields({ node_ids: [fieldProblem('not_found', 'names a node that does not exist')] });
}
