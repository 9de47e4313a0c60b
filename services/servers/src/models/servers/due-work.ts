import type { Model } from 'mongoose';
import type { ServerFilter } from './conditional-update.js';
import type { ServerDocument } from './server-schema.js';

/** Servers of one owner, longest waiting first. */
export interface DueWork {
  readonly ownerId: string;
  readonly ids: readonly string[];
}

/** Of each owner up to `limit`; the owner with the longest waiting one first. */
export async function dueByOwner(
  model: Model<ServerDocument>,
  filter: ServerFilter,
  { leaseField, limit }: { readonly leaseField: string; readonly limit: number },
): Promise<DueWork[]> {
  return model.aggregate<DueWork>([
    { $match: filter },
    { $project: { userId: 1, leaseExpiresAt: `$${leaseField}` } },
    { $sort: { leaseExpiresAt: 1 } },
    { $group: { _id: '$userId', ids: { $push: '$_id' }, oldest: { $first: '$leaseExpiresAt' } } },
    { $sort: { oldest: 1 } },
    { $project: { _id: 0, ownerId: '$_id', ids: { $slice: ['$ids', limit] } } },
  ]);
}
