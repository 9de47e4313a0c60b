import { defineModel, documentSchema, duplicateIndex, type MongoConnection } from '@panel/kit/mongo';
import { id, listOf, text } from '@panel/kit/records';

/**
 * Counts admins in one document: keeping the last one is a single atomic update.
 *
 * Each admin has a random `adminToken`. It enters `counted` after its user gets the role, and is retired before the
 * user loses it; retired tokens never return, even with late writers. `counted` thus names only admins and never
 * empties. A crash can leave an admin uncounted, which is safe; admins/count-admins.ts gives it a new token.
 */
const schema = documentSchema({ id, counted: listOf(text), retired: listOf(text) });

const rosterId = 'admins';
/** Far more than late writers. */
const maxRetiredTokens = 1000;

export type AdminRoster = ReturnType<typeof createAdminRoster>;

export function createAdminRoster(connection: MongoConnection) {
  const rosters = defineModel(connection, 'AdminRoster', schema, 'admin_rosters');
  return {
    /** Safe for concurrent replicas. */
    ensure: async (): Promise<void> => {
      try {
        await rosters.updateOne({ _id: rosterId }, { $setOnInsert: { counted: [], retired: [] } }, { upsert: true });
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
      }
    },
    /** Unless retired. */
    add: async (token: string): Promise<void> => {
      await rosters.updateOne({ _id: rosterId, retired: { $ne: token } }, { $addToSet: { counted: token } });
    },
    /** False: no other user is counted. */
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
