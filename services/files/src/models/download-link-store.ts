import { defineModel, documentSchema, maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type DownloadLink, downloadLinkFields, linkTtlMs } from '../domain/download-link.js';

/** Sharding: by _id, the link's hash. */
const downloadLinkSchema = documentSchema({ id, ...downloadLinkFields });
downloadLinkSchema.index({ expiresAt: 1 }, { name: 'download_link_expiry' });

interface LinkUse {
  readonly hash: string;
  readonly serverId: string;
  readonly ip: string;
  /** Random. */
  readonly claim: string;
  /** Possibly after the first part. */
  readonly isContinuation: boolean;
  readonly now: Date;
  readonly madeAfter: Date;
  /** After the use. */
  readonly expiresAt: Date;
}

/** One database serves all nodes. */
export interface DownloadLinkStore {
  insert(link: DownloadLink): Promise<void>;
  /** Atomic: one caller is first. Returns the link before the use; null when unusable. */
  use(use: LinkUse): Promise<DownloadLink | null>;
  /** Atomic: makes a link unused again, unless it was used after `claim`. */
  release(use: Pick<LinkUse, 'hash' | 'serverId' | 'claim'>): Promise<void>;
  deleteExpired(now: Date): Promise<void>;
}

export function createDownloadLinkStore(connection: MongoConnection): DownloadLinkStore {
  const model = defineModel(connection, 'DownloadLink', downloadLinkSchema, 'download_links');
  return {
    insert: async ({ hash, ...link }) => {
      await model.create({ _id: hash, ...link });
    },
    use: async ({ hash, serverId, ip, claim, isContinuation, now, madeAfter, expiresAt }) => {
      const usable = isContinuation ? { $or: [{ ip: null }, { ip, isDirectory: false }] } : { ip: null };
      const filter = { _id: hash, serverId, expiresAt: { $gt: now }, createdAt: { $gt: madeAfter }, ...usable };
      const options = { returnDocument: 'before' } as const;
      const found = await model
        .findOneAndUpdate(filter, { $set: { ip, claim, expiresAt } }, options)
        .maxTimeMS(maxQueryMs)
        .lean();
      if (!found) return null;
      const { _id, ...link } = found;
      return { hash: _id, ...link };
    },
    release: async ({ hash, serverId, claim }) => {
      const unused = { ip: null, claim: null, expiresAt: { $add: ['$createdAt', linkTtlMs] } };
      await model
        .updateOne({ _id: hash, serverId, claim }, [{ $set: unused }], { updatePipeline: true })
        .maxTimeMS(maxQueryMs);
    },
    deleteExpired: async (now) => {
      await model.deleteMany({ expiresAt: { $lte: now } });
    },
  };
}
