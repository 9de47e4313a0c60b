import { defineModel, maxQueryMs, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { DownloadLink } from '../domain/download-link.js';

type DownloadLinkDocument = Omit<DownloadLink, 'hash'> & { _id: string };

const required = { required: true } as const;

/** Sharding: by _id. */
const downloadLinkSchema = new Schema<DownloadLinkDocument>(
  {
    _id: { type: String, ...required },
    serverId: { type: String, ...required },
    nodeId: { type: String, ...required },
    path: { type: String, ...required },
    name: { type: String, ...required },
    isDirectory: { type: Boolean, ...required },
    madeWith: {
      type: new Schema(
        { method: { type: String, ...required }, id: { type: String, ...required } },
        { _id: false, id: false },
      ),
      ...required,
    },
    ip: { type: String, default: null },
    createdAt: { type: Date, ...required },
    expiresAt: { type: Date, ...required },
  },
  schemaOptions,
);
downloadLinkSchema.index({ expiresAt: 1 }, { name: 'download_link_expiry' });

interface LinkUse {
  readonly hash: string;
  readonly serverId: string;
  readonly ip: string;
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
  /** Atomic: one caller is first. Null when unusable. */
  use(use: LinkUse): Promise<DownloadLink | null>;
  deleteExpired(now: Date): Promise<void>;
}

export function createDownloadLinkStore(connection: MongoConnection): DownloadLinkStore {
  const model = defineModel(connection, 'DownloadLink', downloadLinkSchema, 'download_links');
  return {
    insert: async ({ hash, ...link }) => {
      await model.create({ _id: hash, ...link });
    },
    use: async ({ hash, serverId, ip, isContinuation, now, madeAfter, expiresAt }) => {
      const usable = isContinuation ? { $or: [{ ip: null }, { ip, isDirectory: false }] } : { ip: null };
      const filter = { _id: hash, serverId, expiresAt: { $gt: now }, createdAt: { $gt: madeAfter }, ...usable };
      const options = { returnDocument: 'after' } as const;
      const found = await model
        .findOneAndUpdate(filter, { $set: { ip, expiresAt } }, options)
        .maxTimeMS(maxQueryMs)
        .lean();
      if (!found) return null;
      const { _id, ...link } = found;
      return { hash: _id, ...link };
    },
    deleteExpired: async (now) => {
      await model.deleteMany({ expiresAt: { $lte: now } });
    },
  };
}
