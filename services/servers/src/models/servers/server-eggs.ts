import type { Model } from 'mongoose';
import type { GameServer } from '../../domain/servers/server.js';
import type { EggChange } from '../../domain/servers/take-over-egg.js';
import { maxQueryMs } from '../fields.js';
import { serverOf, type UpdateServer } from './conditional-update.js';
import type { ServerDocument } from './server-schema.js';
import { withEgg } from './server-updates.js';

export interface ServerEggStore {
  namesOf(eggId: string, limit: number): Promise<string[]>;
  /** By id; empty `ids`: all. */
  page(eggId: string, ids: readonly string[], afterId: string, limit: number): Promise<GameServer[]>;
  /** Null: during an operation, or changed since the read. */
  apply(server: GameServer, change: EggChange): Promise<GameServer | null>;
}

export function createServerEggStore(
  model: Model<ServerDocument>,
  change: UpdateServer,
  clock: () => Date,
): ServerEggStore {
  return {
    namesOf: async (eggId, limit) => {
      const found = await model.find({ eggId }, { name: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
      return found.map(({ name }) => name);
    },
    page: async (eggId, ids, afterId, limit) => {
      const wanted = ids.length === 0 ? {} : { $in: [...ids] };
      const filter = { eggId, _id: { ...wanted, $gt: afterId } };
      const found = await model.find(filter).sort({ _id: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
      return found.map((document) => serverOf(document, clock()));
    },
    apply: async (server, egg) => {
      const { id: _id, eggId, dockerImage, startup } = server;
      return change({ _id, eggId, operation: null, dockerImage, startup }, withEgg(egg));
    },
  };
}
