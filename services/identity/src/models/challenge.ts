import { createRecordMapper, defineModel, documentSchema, type MongoConnection, type Stored } from '@panel/kit/mongo';
import { challengeFields, type ChallengeRecord } from '../domain/challenge.js';

/** Shard key: _id. */
const schema = documentSchema(challengeFields);
schema.index({ expiresAt: 1 }, { name: 'challenges_expiry', expireAfterSeconds: 0 });

const records = createRecordMapper<ChallengeRecord>();

export function createChallengeStore(connection: MongoConnection) {
  const challenges = defineModel(connection, 'Challenge', schema, 'challenges');
  return {
    insert: async (challenge: ChallengeRecord): Promise<void> => {
      await challenges.create(records.toDocument(challenge));
    },
    /** Before any comparison. Null: no challenge, or no attempt left. */
    takeAttempt: async (id: string, userId: string, maxAttempts: number, now: Date): Promise<ChallengeRecord | null> =>
      records.one(
        challenges
          .findOneAndUpdate(
            { _id: id, userId, attempts: { $lt: maxAttempts }, expiresAt: { $gt: now } },
            { $inc: { attempts: 1 } },
            { returnDocument: 'after' },
          )
          .lean<Stored<ChallengeRecord>>(),
      ),
    /** False: another request consumed it. */
    consume: async (id: string): Promise<boolean> => {
      const { deletedCount } = await challenges.deleteOne({ _id: id });
      return deletedCount === 1;
    },
  };
}
