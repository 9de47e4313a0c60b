import { defineModel, type DocumentOf, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type BillingProfile, profileFields } from '../domain/profile.js';
import { maxQueryMs } from './fields.js';

/** Sharding: by _id (hashed), the customer. */
const profileSchema = documentSchema({ id, ...profileFields });
type ProfileDocument = DocumentOf<typeof profileSchema>;

export type ProfileChanges = Partial<Omit<BillingProfile, 'userId'>>;

export interface ProfileStore {
  /** Empty if none is stored. */
  get(userId: string): Promise<BillingProfile>;
  /** By customer; empty profiles included. */
  getMany(userIds: readonly string[]): Promise<Map<string, BillingProfile>>;
  update(userId: string, changes: ProfileChanges): Promise<BillingProfile>;
}

const nothing = { name: '', company: '', address: '', country: '', vatNumber: '' };

export function createProfileStore(connection: MongoConnection): ProfileStore {
  const model = defineModel(connection, 'BillingProfile', profileSchema, 'billing_profiles');
  const profileOf = (userId: string, document: ProfileDocument | null): BillingProfile => {
    if (!document) return { userId, ...nothing };
    const { _id, ...fields } = document;
    return { ...nothing, ...fields, userId: _id };
  };
  return {
    get: async (userId) => profileOf(userId, await model.findById(userId).maxTimeMS(maxQueryMs).lean()),
    getMany: async (userIds) => {
      const found = await model
        .find({ _id: { $in: [...userIds] } })
        .maxTimeMS(maxQueryMs)
        .lean();
      const documents = new Map(found.map((document) => [document._id, document]));
      return new Map(userIds.map((userId) => [userId, profileOf(userId, documents.get(userId) ?? null)]));
    },
    update: async (userId, changes) => {
      const document = await model
        .findOneAndUpdate({ _id: userId }, { $set: changes }, { upsert: true, returnDocument: 'after' })
        .maxTimeMS(maxQueryMs)
        .lean();
      return profileOf(userId, document);
    },
  };
}
