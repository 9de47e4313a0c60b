import type { Stored } from '@panel/kit/mongo';
import type { TwoFactor, UserRecord } from '../domain/user.js';
import { mailOutbox, notDeleted, type UserModel, userRecords } from './user-document.js';

/** Queries on the two-factor part of users. Each is one conditional update, so that nothing is accepted twice. */
export function createTwoFactorStore(users: UserModel) {
  const updateMatched = async (filter: object, update: object): Promise<boolean> => {
    const { matchedCount } = await users.updateOne({ ...filter, ...notDeleted }, update);
    return matchedCount === 1;
  };
  return {
    /** Keep a secret that waits for its first code, in place of any other that waits. False when it is on already. */
    begin: async (userId: string, secret: string, now: Date): Promise<boolean> =>
      updateMatched({ _id: userId, twoFactor: null }, { $set: { twoFactorSetup: { secret, startedAt: now } } }),
    /**
     * Switch on the secret that waits, and end all sessions but `keepSessionId`. Null when it is on already, or another
     * secret waits by now.
     */
    enable: async (
      userId: string,
      twoFactor: TwoFactor,
      keepSessionId: string | null,
      now: Date,
    ): Promise<UserRecord | null> =>
      userRecords.one(
        users
          .findOneAndUpdate(
            { _id: userId, twoFactor: null, 'twoFactorSetup.secret': twoFactor.secret, ...notDeleted },
            {
              $set: { twoFactor, twoFactorSetup: null, keptSessionId: keepSessionId, updatedAt: now },
              $inc: { sessionEpoch: 1 },
            },
            { returnDocument: 'after', projection: mailOutbox.excluded },
          )
          .lean<Stored<UserRecord>>(),
      ),
    /** Use up a time step. False when it or a later one was used before, or two-factor authentication has changed. */
    useStep: async (userId: string, secret: string, step: number): Promise<boolean> =>
      updateMatched(
        { _id: userId, 'twoFactor.secret': secret, 'twoFactor.lastStep': { $lt: step } },
        { $set: { 'twoFactor.lastStep': step } },
      ),
    /** Use up a recovery code. False when it is not one of those left. */
    useRecoveryCode: async (userId: string, hash: string): Promise<boolean> =>
      updateMatched({ _id: userId, 'twoFactor.recoveryHashes': hash }, { $pull: { 'twoFactor.recoveryHashes': hash } }),
    /** Switch it off. Null when it was off. */
    disable: async (userId: string, now: Date): Promise<UserRecord | null> =>
      userRecords.one(
        users
          .findOneAndUpdate(
            { _id: userId, twoFactor: { $ne: null }, ...notDeleted },
            { $set: { twoFactor: null, twoFactorSetup: null, updatedAt: now } },
            { returnDocument: 'after', projection: mailOutbox.excluded },
          )
          .lean<Stored<UserRecord>>(),
      ),
  };
}
