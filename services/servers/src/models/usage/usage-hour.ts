import { defineModel, type DocumentOf, documentSchema, duplicateIndex, type MongoConnection } from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type UsageHour, usageHourFields } from '../../domain/usage/usage-hour.js';

/** Shard key: serverId, hashed. */
const usageSchema = documentSchema({
  ...usageHourFields,
  _id: id,
});
type UsageDocument = DocumentOf<typeof usageSchema>;
usageSchema.index({ serverId: 1, hour: 1 }, { name: 'usage_server_hour', unique: true });

/** Writes require the previous sample: nothing counts twice. */
export interface UsageStore {
  latest(serverId: string): Promise<UsageHour | null>;
  /** False: exists. */
  open(hour: UsageHour): Promise<boolean>;
  /** False: another process has counted. */
  count(before: UsageHour, after: UsageHour): Promise<boolean>;
  /** Oldest first. */
  list(serverId: string, from: Date, until: Date): Promise<UsageHour[]>;
}

/** Three months. */
const maxHours = 93 * 24;

export function createUsageStore(connection: MongoConnection): UsageStore {
  const model = defineModel(connection, 'UsageHour', usageSchema, 'usage_hours');
  return {
    latest: async (serverId) => {
      const found = await model.findOne({ serverId }).sort({ hour: -1 }).lean();
      return found && usageOf(found);
    },
    open: async (hour) => {
      try {
        await model.create([{ ...hour, _id: `${hour.serverId}:${hour.hour.toISOString()}` }]);
        return true;
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
        return false;
      }
    },
    count: async ({ serverId, hour, sampledAt }, after) => {
      const { matchedCount } = await model.updateOne({ serverId, hour, sampledAt }, { $set: after });
      return matchedCount === 1;
    },
    list: async (serverId, from, until) => {
      const filter = { serverId, hour: { $gte: from, $lt: until } };
      return (await model.find(filter).sort({ hour: 1 }).limit(maxHours).lean()).map(usageOf);
    },
  };
}

function usageOf({ _id, ...usage }: UsageDocument): UsageHour {
  return usage;
}
