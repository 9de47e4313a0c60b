import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { Policy } from '../domain/policy.js';

const policyId = 'policy';

const schema = new Schema<Policy & { readonly _id: string }>(
  {
    _id: { type: String, required: true },
    requireTwoFactor: { type: String, required: true },
    sessionsPerUser: { type: Number, required: true },
    panelName: { type: String, required: true },
  },
  schemaOptions,
);

export type PolicyStore = ReturnType<typeof createPolicyStore>;

export function createPolicyStore(connection: MongoConnection) {
  const policies = defineModel(connection, 'Policy', schema, 'policies');
  return {
    read: async (): Promise<Policy | null> => policies.findById(policyId, { _id: 0 }).lean<Policy>(),
    write: async (policy: Policy): Promise<void> => {
      await policies.updateOne({ _id: policyId }, { $set: policy }, { upsert: true });
    },
  };
}
