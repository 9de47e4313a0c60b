import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import type { Seal } from '@panel/kit/process';
import { count, id } from '@panel/kit/records';
import { maxRegistries, type Registry, registryFields, type RegistrySecret } from '../../domain/registries/registry.js';
import { fail } from '../../reasons.js';
import { maxQueryMs } from '../fields.js';
import { reseal } from '../reseal.js';

/** At most `maxRegistries` documents: not sharded. */
const registrySchema = documentSchema({
  ...registryFields,
  sealedSecret: id,
  /** Below `maxRegistries`; its index enforces that. */
  slot: count,
});
type RegistryDocument = DocumentOf<typeof registrySchema>;
registrySchema.index({ host: 1, eggId: 1 }, { name: 'registry_host_egg', unique: true });
registrySchema.index({ slot: 1 }, { name: 'registry_slot', unique: true });
registrySchema.index({ createdAt: 1, _id: 1 }, { name: 'registry_created' });

type RegistryChanges = Pick<Registry, 'host' | 'eggId' | 'username'> & {
  /** Null: unchanged. */
  readonly secret: RegistrySecret | null;
};

interface RegistryUpdate {
  readonly registry: Registry;
  /** With the former secret, unless it was changed again or deleted meanwhile. Throws REGISTRY_EXISTS. */
  readonly undo: () => Promise<void>;
}

export interface RegistryStore {
  /** False: there are as many as there may be. Throws REGISTRY_EXISTS. */
  create(registry: Registry, secret: string): Promise<boolean>;
  get(registryId: string): Promise<Registry | null>;
  list(page: PageQuery): Promise<{ registries: Registry[]; total: number }>;
  /** Null: not found, or changed since `before`. Throws REGISTRY_EXISTS. */
  update(before: Registry, changes: RegistryChanges, at: Date): Promise<RegistryUpdate | null>;
  /** False: not found. */
  delete(registryId: string): Promise<boolean>;
  /** Resolves with the count. */
  deleteOfEgg(eggId: string): Promise<number>;
  /** That registries name. */
  eggIds(): Promise<string[]>;
  /** The egg's, else that of all eggs. Its secret is null where no key of ENCRYPTION_KEYS opens it. */
  openFor(host: string, eggId: string): Promise<{ registry: Registry; secret: string | null } | null>;
  /** With the newest key. Resolves with the count. */
  sealSecrets(): Promise<number>;
}

/** Binds a sealed secret to its registry, and to the host that gets it. */
const aadOf = (registryId: string, host: string) => `registry ${registryId} ${host} secret`;

export function createRegistryStore(connection: MongoConnection, seal: Seal): RegistryStore {
  const model = defineModel(connection, 'Registry', registrySchema, 'registries');
  /** Random: concurrent creations rarely collide. */
  const freeSlot = async () => {
    const used = await model.find({}, { slot: 1 }).maxTimeMS(maxQueryMs).lean();
    const taken = new Set(used.map(({ slot }) => slot));
    const free = Array.from({ length: maxRegistries }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    return free[Math.floor(Math.random() * free.length)] ?? null;
  };
  return {
    create: async ({ id: registryId, ...fields }, secret) => {
      const sealedSecret = seal.seal(secret, aadOf(registryId, fields.host));
      for (;;) {
        const slot = await freeSlot();
        if (slot === null) return false;
        try {
          await write(model.create({ _id: registryId, ...fields, sealedSecret, slot }));
          return true;
        } catch (error) {
          // Taken meanwhile.
          if (duplicateIndex(error) !== 'registry_slot') throw error;
        }
      }
    },
    get: async (registryId) => {
      const found = await model.findById(registryId).maxTimeMS(maxQueryMs).lean();
      return found && registryOf(found);
    },
    list: async (page) => {
      const filter = page.search === '' ? {} : { host: containsText(page.search) };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { registries: convertEach(documents, registryOf), total };
    },
    update: async ({ id: registryId, revision }, { host, eggId, username, secret }, at) => {
      const sealed = secret && {
        secretKind: secret.kind,
        sealedSecret: seal.seal(secret.text, aadOf(registryId, host)),
      };
      const set = { host, eggId, username, ...sealed, revision: revision + 1, updatedAt: at };
      const before = await write(model.findOneAndUpdate({ _id: registryId, revision }, { $set: set }).lean());
      if (!before) return null;
      const undo = async () => {
        const former = { ...before, revision: set.revision + 1 };
        await write(model.replaceOne({ _id: registryId, revision: set.revision }, former));
      };
      return { registry: registryOf({ ...before, ...set }), undo };
    },
    delete: async (registryId) => (await model.deleteOne({ _id: registryId })).deletedCount === 1,
    deleteOfEgg: async (eggId) => (await model.deleteMany({ eggId })).deletedCount,
    eggIds: async () => {
      const found = await model
        .find({ eggId: { $ne: null } }, { eggId: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return [...new Set(found.flatMap(({ eggId }) => (eggId === null ? [] : [eggId])))];
    },
    openFor: async (host, eggId) => {
      // Null sorts first.
      const found = await model
        .findOne({ host, eggId: { $in: [eggId, null] } })
        .sort({ eggId: -1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return found && { registry: registryOf(found), secret: seal.open(found.sealedSecret, aadOf(found._id, host)) };
    },
    sealSecrets: async () => {
      const found = await model.find({}, { host: 1, sealedSecret: 1 }).lean();
      const texts = found.map(({ _id, host, sealedSecret: sealed }) => ({
        sealed,
        aad: aadOf(_id, host),
        replace: async (sealedSecret: string) =>
          model.updateOne({ _id, sealedSecret: sealed }, { $set: { sealedSecret } }),
      }));
      return reseal(seal, texts);
    },
  };
}

async function write<T>(change: PromiseLike<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (duplicateIndex(error) !== 'registry_host_egg') throw error;
    throw fail('REGISTRY_EXISTS', 'there are credentials for this host and egg already', {}, { cause: error });
  }
}

function registryOf({ _id, sealedSecret: _sealedSecret, slot: _slot, ...fields }: RegistryDocument): Registry {
  return { id: _id, ...fields };
}
