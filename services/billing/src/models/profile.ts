import { defineModel, type DocumentOf, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type BillingProfile, profileRecordFields, type VatCheck } from '../domain/profile.js';
import { vatPrefixes } from '../domain/vat-number.js';
import { maxQueryMs } from './fields.js';

/** Sharding: by _id (hashed), the customer. */
const profileSchema = documentSchema({ id, ...profileRecordFields });
profileSchema.index(
  { 'vatCheck.nextAt': 1 },
  { name: 'profile_vat_check', partialFilterExpression: { vatNumber: { $gt: '' } } },
);
type ProfileDocument = DocumentOf<typeof profileSchema>;

/** `vatCheck` null: forgotten. */
export type ProfileChanges = Partial<Omit<BillingProfile, 'userId' | 'vatCheck'>> & {
  readonly vatCheck?: VatCheck | null;
};

export interface ProfileStore {
  /** Empty if none is stored. */
  get(userId: string): Promise<BillingProfile>;
  /** By customer; empty profiles included. */
  getMany(userIds: readonly string[]): Promise<Map<string, BillingProfile>>;
  update(userId: string, changes: ProfileChanges): Promise<BillingProfile>;
  /** With a VAT number of the EU that is to be checked, longest due first. */
  dueVatChecks(before: Date, limit: number): Promise<BillingProfile[]>;
  /** Null: the number has changed. */
  setVatCheck(userId: string, check: VatCheck): Promise<BillingProfile | null>;
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
    update: async (userId, { vatCheck, ...changes }) => {
      const document = await model
        .findOneAndUpdate(
          { _id: userId },
          {
            $set: { ...changes, ...(vatCheck ? { vatCheck } : {}) },
            ...(vatCheck === null ? { $unset: { vatCheck: 1 } } : {}),
          },
          { upsert: true, returnDocument: 'after' },
        )
        .maxTimeMS(maxQueryMs)
        .lean();
      return profileOf(userId, document);
    },
    dueVatChecks: async (before, limit) => {
      // Those from before the checks have none.
      const isDue = { vatNumber: { $gt: '', $regex: vatPrefixes }, 'vatCheck.nextAt': { $not: { $gt: before } } };
      const found = await model.find(isDue).sort({ 'vatCheck.nextAt': 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
      return found.map((document) => profileOf(document._id, document));
    },
    setVatCheck: async (userId, vatCheck) => {
      const document = await model
        .findOneAndUpdate(
          { _id: userId, vatNumber: vatCheck.number },
          { $set: { vatCheck } },
          { returnDocument: 'after' },
        )
        .maxTimeMS(maxQueryMs)
        .lean();
      return document && profileOf(userId, document);
    },
  };
}
