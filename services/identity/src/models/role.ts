import { defineModel, duplicateIndex, type MongoConnection, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';
import { type SystemRole, systemRoles } from '../domain/system-roles.js';

/** What its holders may do. A handful per installation; not sharded. */
export interface RoleDocument {
  readonly _id: string;
  readonly name: string;
  /** The name as uniqueness sees it. */
  readonly nameKey: string;
  readonly description: string;
  readonly permissions: string[];
  readonly rateLimitMultiplier: number;
  /** System roles are the same everywhere and always. */
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const schema = new Schema<RoleDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    nameKey: { type: String, required: true },
    description: { type: String, default: '' },
    permissions: { type: [String], required: true },
    rateLimitMultiplier: { type: Number, required: true },
    isSystem: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  schemaOptions,
);
schema.index({ nameKey: 1 }, { name: 'roles_name', unique: true });

export type RoleStore = ReturnType<typeof createRoleStore>;

export function createRoleStore(connection: MongoConnection) {
  const roles = defineModel(connection, 'Role', schema, 'roles');
  const ensure = async (role: SystemRole, now: Date) => {
    const { id, permissions, ...rest } = role;
    await roles.updateOne(
      { _id: id },
      {
        $set: { ...rest, permissions: [...permissions], nameKey: role.name, isSystem: true },
        $setOnInsert: { createdAt: now, updatedAt: now },
      },
      { upsert: true },
    );
  };
  return {
    findById: async (id: string): Promise<RoleDocument | null> => roles.findById(id).lean<RoleDocument>(),
    /** Make the system roles, or bring them back to what they are. Several replicas may do it at once. */
    ensureSystemRoles: async (now: Date): Promise<void> => {
      for (const role of systemRoles) {
        try {
          await ensure(role, now);
        } catch (error) {
          // Another replica inserted it between our look and our insert: now it is an update.
          if (duplicateIndex(error) === null) throw error;
          await ensure(role, now);
        }
      }
    },
  };
}
