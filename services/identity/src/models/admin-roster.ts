import { defineModel, duplicateIndex, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';

/**
 * Who counts as an admin when one of them is to go: one document, so that "never the last" is one atomic update.
 *
 * Every user with the role `admin` carries a random token of its own (`adminToken`). A token enters `counted` only after
 * its user has the role, and is retired here before its user loses it; a retired token never comes back, however late a
 * slow writer is. So `counted` only ever names users who are admins, and it is never emptied. A process that dies half-way leaves an
 * admin who is not counted, which errs on the safe side; domain/admins.ts gives such a user a new token.
 */
interface RosterDocument {
  readonly _id: string;
  readonly counted: readonly string[];
  readonly retired: readonly string[];
}

const rosterId = 'admins';
/** Far more than writers can be late. */
const maxRetiredTokens = 1000;

const schema = new Schema<RosterDocument>(
  { _id: { type: String, required: true }, counted: { type: [String] }, retired: { type: [String] } },
  schemaOptions,
);

export type AdminRoster = ReturnType<typeof createAdminRoster>;

export function createAdminRoster(connection: MongoConnection) {
  const rosters = defineModel(connection, 'AdminRoster', schema, 'admin_rosters');
  return {
    /** Make the roster. Several replicas may do it at once. */
    ensure: async (): Promise<void> => {
      try {
        await rosters.updateOne({ _id: rosterId }, { $setOnInsert: { counted: [], retired: [] } }, { upsert: true });
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
      }
    },
    /** Count a token, unless it was retired. */
    add: async (token: string): Promise<void> => {
      await rosters.updateOne({ _id: rosterId, retired: { $ne: token } }, { $addToSet: { counted: token } });
    },
    /** Retire a token, if another user is counted. False when none is. */
    retire: async (token: string): Promise<boolean> => {
      const { matchedCount } = await rosters.updateOne(
        { _id: rosterId, counted: { $elemMatch: { $ne: token } } },
        { $pull: { counted: token }, $push: { retired: { $each: [token], $slice: -maxRetiredTokens } } },
      );
      return matchedCount === 1;
    },
    isRetired: async (token: string): Promise<boolean> =>
      (await rosters.exists({ _id: rosterId, retired: token })) !== null,
  };
}
