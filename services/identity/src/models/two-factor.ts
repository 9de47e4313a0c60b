import type { Stored } from '@panel/kit/mongo';
import type { TwoFactor, UserRecord } from '../domain/user.js';
import { mailOutbox, notDeleted, type UserModel, userRecords } from './user-document.js';

/** Each change is one conditional update: nothing is accepted twice. */
export function createTwoFactorStore(users: UserModel) {
  const updateMatched = async (filter: object, update: object): Promise<boolean> => {
    const { matchedCount } = await users.updateOne({ ...filter, ...notDeleted }, update);
    return matchedCount === 1;
  };
  return {
    /** Replaces a pending secret. False: already enabled. */
    begin: async (userId: string, secret: string, now: Date): Promise<boolean> =>
      updateMatched({ _id: userId, twoFactor: null }, { $set: { twoFactorSetup: { secret, startedAt: now } } }),
    /** Ends all sessions but `keepSessionId`. Null: already enabled, or another secret is pending. */
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
              $set: { twoFactor, twoFactorSetup: null, retainedSessionId: keepSessionId, updatedAt: now },
              $inc: { sessionEpoch: 1 },
            },
            { returnDocument: 'after', projection: mailOutbox.excluded },
          )
          .lean<Stored<UserRecord>>(),
      ),
    /** False: this or a later step was used, or two-factor authentication changed. */
    useStep: async (userId: string, secret: string, step: number): Promise<boolean> =>
      updateMatched(
        { _id: userId, 'twoFactor.secret': secret, 'twoFactor.lastStep': { $lt: step } },
        { $set: { 'twoFactor.lastStep': step } },
      ),
    /** Single use. False: unknown. */
    useRecoveryCode: async (userId: string, hash: string): Promise<boolean> =>
      updateMatched({ _id: userId, 'twoFactor.recoveryHashes': hash }, { $pull: { 'twoFactor.recoveryHashes': hash } }),
    /** Null: already disabled. */
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
