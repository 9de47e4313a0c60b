import { maxQueryMs, type MongoConnection } from '@panel/kit/mongo';

/** User reference by collection; preferences use their own id. */
const ownedCollections = { api_keys: 'userId', ssh_keys: 'userId', preferences: '_id' } as const;
export type OwnedCollection = keyof typeof ownedCollections;

/** Raw references, also of damaged documents. */
export interface ReferenceStore {
  /** Referenced by users, not existing. */
  missingRoles(): Promise<string[]>;
  /** In order, after an id. */
  userIdsIn(collection: OwnedCollection, afterId: string, limit: number): Promise<string[]>;
  /** Not existing, not even in deletion. */
  missingUsers(ids: readonly string[]): Promise<string[]>;
}

export function createReferenceStore(connection: MongoConnection): ReferenceStore {
  const idsOf = async (collection: string, ids: readonly string[]) => {
    const found = await connection
      .collection<{ readonly _id: string }>(collection)
      .find({ _id: { $in: [...ids] } }, { maxTimeMS: maxQueryMs })
      .project<{ readonly _id: string }>({ _id: 1 })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  };
  return {
    missingRoles: async () => {
      // Users first: a role exists before its users.
      const roleIds: string[] = await connection.collection('users').distinct('roleId', {}, { maxTimeMS: maxQueryMs });
      const roles = await idsOf('roles', roleIds);
      return roleIds.filter((id) => !roles.has(id));
    },
    userIdsIn: async (collection, afterId, limit) => {
      const field = ownedCollections[collection];
      const groups = await connection
        .collection(collection)
        .aggregate<{ _id: string }>(
          [
            { $match: { [field]: { $gt: afterId } } },
            { $group: { _id: `$${field}` } },
            { $sort: { _id: 1 } },
            { $limit: limit },
          ],
          { maxTimeMS: maxQueryMs },
        )
        .toArray();
      return groups.map(({ _id }) => _id);
    },
    missingUsers: async (ids) => {
      const users = await idsOf('users', ids);
      return ids.filter((id) => !users.has(id));
    },
  };
}
