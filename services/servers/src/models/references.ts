import type { MongoConnection } from '@panel/kit/mongo';
import { maxQueryMs } from './fields.js';

export interface ServerReferences {
  readonly id: string;
  readonly userId: string;
  readonly nodeId: string;
  readonly eggId: string;
  readonly subuserIds: readonly string[];
}

type ReferencedCollection = 'servers' | 'nodes' | 'eggs';
/** Documents of servers. */
export type OwnedCollection = 'schedules' | 'databases';

interface RawServer {
  readonly _id: string;
  readonly userId?: string;
  readonly nodeId?: string;
  readonly eggId?: string;
  readonly subusers?: readonly { readonly userId?: string | null }[];
}

/** Reads damaged documents too. */
export interface ReferenceStore {
  /** By id, exclusive. */
  servers(afterId: string, limit: number): Promise<ServerReferences[]>;
  /** By id, exclusive. */
  serverIdsIn(collection: OwnedCollection, afterId: string, limit: number): Promise<string[]>;
  /** The ids without a document. */
  missing(collection: ReferencedCollection, ids: readonly string[]): Promise<string[]>;
}

export function createReferenceStore(connection: MongoConnection): ReferenceStore {
  return {
    servers: async (afterId, limit) => {
      const found = await connection
        .collection<RawServer>('servers')
        .find({ _id: { $gt: afterId } }, { maxTimeMS: maxQueryMs })
        .project<RawServer>({ userId: 1, nodeId: 1, eggId: 1, 'subusers.userId': 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, userId = '', nodeId = '', eggId = '', subusers = [] }) => ({
        id: _id,
        userId,
        nodeId,
        eggId,
        subuserIds: subusers.flatMap(({ userId: subuserId }) => (subuserId ? [subuserId] : [])),
      }));
    },
    serverIdsIn: async (collection, afterId, limit) => {
      const groups = await connection
        .collection(collection)
        .aggregate<{ _id: string }>(
          [
            { $match: { serverId: { $gt: afterId } } },
            { $group: { _id: '$serverId' } },
            { $sort: { _id: 1 } },
            { $limit: limit },
          ],
          { maxTimeMS: maxQueryMs },
        )
        .toArray();
      return groups.map(({ _id }) => _id);
    },
    missing: async (collection, ids) => {
      const wanted = [...new Set(ids)];
      const found = await connection
        .collection<{ readonly _id: string }>(collection)
        .find({ _id: { $in: wanted } }, { maxTimeMS: maxQueryMs })
        .project<{ readonly _id: string }>({ _id: 1 })
        .toArray();
      const present = new Set(found.map(({ _id }) => _id));
      return wanted.filter((id) => !present.has(id));
    },
  };
}
