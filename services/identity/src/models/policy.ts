import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type Policy, policyFields } from '../domain/policy.js';

const policyId = 'policy';

const schema = documentSchema({ id, ...policyFields });

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
