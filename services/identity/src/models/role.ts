import {
  BatchedReads,
  containsText,
  createRecordMapper,
  defineModel,
  documentSchema,
  duplicateIndex,
  maxQueryMs,
  type MongoConnection,
  type PageQuery,
  type Stored,
} from '@panel/kit/mongo';
import { type RoleChanges, roleFields, roleNameKey, type RoleRecord } from '../domain/role.js';
import { type SystemRole, systemRoles } from '../domain/system-roles.js';
import { fail } from '../reasons.js';
import { findPage, type Page } from './find-page.js';

/** Few documents; not sharded. */
const schema = documentSchema(roleFields);
schema.index({ nameKey: 1 }, { name: 'roles_name', unique: true });

const records = createRecordMapper<RoleRecord>();

export function createRoleStore(connection: MongoConnection) {
  const roles = defineModel(connection, 'Role', schema, 'roles');
  const findByIds = (ids: readonly string[]) =>
    roles
      .find({ _id: { $in: [...ids] } })
      .maxTimeMS(maxQueryMs)
      .lean<Stored<RoleRecord>[]>();
  const reads = new BatchedReads(async (ids) => records.byId(findByIds(ids)));
  const ensure = async (role: SystemRole, now: Date) => {
    const { id, permissions, ...rest } = role;
    await roles.updateOne(
      { _id: id },
      {
        $set: { ...rest, permissions: [...permissions], nameKey: role.name, isSystem: true, deletingAt: null },
        $setOnInsert: { createdAt: now, updatedAt: now },
      },
      { upsert: true },
    );
  };
  return {
    /** See BatchedReads. */
    findById: async (id: string): Promise<RoleRecord | null> => reads.read(id),
    findByIds: async (ids: readonly string[]): Promise<RoleRecord[]> => records.many(findByIds(ids)),
    list: async (page: PageQuery): Promise<Page<RoleRecord>> => {
      const filter = page.search === '' ? {} : { name: containsText(page.search) };
      return findPage(roles, records, filter, page);
    },
    /** Throws ROLE_NAME_TAKEN. */
    insert: async (role: RoleRecord): Promise<void> => {
      try {
        await roles.create(records.toDocument(role));
      } catch (error) {
        throw mapDuplicateKey(error);
      }
    },
    /** Only if unchanged since `readAt` and no system role; else null. Throws ROLE_NAME_TAKEN. */
    update: async (id: string, readAt: Date, changes: RoleChanges, now: Date): Promise<RoleRecord | null> => {
      const key = changes.name === undefined ? {} : { nameKey: roleNameKey(changes.name) };
      try {
        return await records.one(
          roles
            .findOneAndUpdate(
              { _id: id, isSystem: false, updatedAt: readAt },
              { $set: { ...changes, ...key, updatedAt: now } },
              { returnDocument: 'after' },
            )
            .lean<Stored<RoleRecord>>(),
        );
      } catch (error) {
        throw mapDuplicateKey(error);
      }
    },
    /** Blocks assignment until `remove` or `cancelDeletion`. False: a system role, or not found. */
    beginDeletion: async (id: string, now: Date): Promise<boolean> => {
      const { matchedCount } = await roles.updateOne({ _id: id, isSystem: false }, { $set: { deletingAt: now } });
      return matchedCount === 1;
    },
    cancelDeletion: async (id: string): Promise<void> => {
      await roles.updateOne({ _id: id }, { $set: { deletingAt: null } });
    },
    /** False: another request began a deletion after `beganAt`. */
    remove: async (id: string, beganAt: Date): Promise<boolean> => {
      const { deletedCount } = await roles.deleteOne({ _id: id, isSystem: false, deletingAt: beganAt });
      return deletedCount === 1;
    },
    /** Creates or restores them. Safe for concurrent replicas. */
    ensureSystemRoles: async (now: Date): Promise<void> => {
      for (const role of systemRoles) {
        try {
          await ensure(role, now);
        } catch (error) {
          // Inserted concurrently by another replica: update instead.
          if (duplicateIndex(error) === null) throw error;
          await ensure(role, now);
        }
      }
    },
  };
}

function mapDuplicateKey(error: unknown): unknown {
  if (duplicateIndex(error) !== 'roles_name') return error;
  return fail('ROLE_NAME_TAKEN', 'there is a role of this name', {}, { cause: error });
}
