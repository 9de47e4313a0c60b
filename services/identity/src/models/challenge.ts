import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';

/** A login that waits for its second factor. Shard key: _id. */
export interface ChallengeDocument {
  readonly _id: string;
  readonly userId: string;
  /** The user's `sessionEpoch` when the password was checked: a change of password ends challenges too. */
  readonly epoch: number;
  readonly tries: number;
  readonly expiresAt: Date;
}

const schema = new Schema<ChallengeDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    epoch: { type: Number, required: true },
    tries: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  schemaOptions,
);
schema.index({ expiresAt: 1 }, { name: 'challenges_expiry', expireAfterSeconds: 0 });

export type ChallengeStore = ReturnType<typeof createChallengeStore>;

export function createChallengeStore(connection: MongoConnection) {
  const challenges = defineModel(connection, 'Challenge', schema, 'challenges');
  return {
    insert: async (challenge: ChallengeDocument): Promise<void> => {
      await challenges.create(challenge);
    },
    /** Take one of the tries, before anything is compared. Null when there is no challenge, or no try left. */
    takeTry: async (id: string, userId: string, maxTries: number, now: Date): Promise<ChallengeDocument | null> =>
      challenges
        .findOneAndUpdate(
          { _id: id, userId, tries: { $lt: maxTries }, expiresAt: { $gt: now } },
          { $inc: { tries: 1 } },
          { returnDocument: 'after' },
        )
        .lean<ChallengeDocument>(),
    /** Answer it. False when somebody else did. */
    consume: async (id: string): Promise<boolean> => {
      const { deletedCount } = await challenges.deleteOne({ _id: id });
      return deletedCount === 1;
    },
  };
}
