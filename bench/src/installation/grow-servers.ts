import { randomUUID } from 'node:crypto';
import { databaseUrl } from '@panel/programs';
import mongoose, { type Connection } from 'mongoose';
import { trigramsOf } from '../../../services/servers/dist/src/models/servers/name-search.js';
import { viewerNameGramsOf } from '../../../services/servers/dist/src/models/servers/viewer-name-grams.js';
import type { Installation } from './installation.js';

/** Copies of an existing server with new names and ids, in the database only. */
export interface Growth {
  readonly connection: Connection;
  /** Those beyond the first thousand are on other nodes, mostly of other owners. */
  to(total: number): Promise<void>;
  end(): Promise<void>;
}

const batch = 1_000;
/** Count on one node. */
const onThisNode = 1_000;
/** One in so many of the rest belongs to the reseller. */
const resellerShare = 10;
const otherOwners = 900;
const otherNodes = 2_000;

export async function growServers({ stack }: Installation, resellerId: string): Promise<Growth> {
  const url = databaseUrl(stack.mongoUrl, 'servers');
  const connection = await mongoose.createConnection(url, { autoIndex: false, monitorCommands: true }).asPromise();
  const collection = connection.collection('servers');
  const template = await collection.findOne({ 'power.state': 'offline' });
  if (template === null) throw new Error('there is no stopped server to copy');
  const owners = Array.from({ length: otherOwners }, () => randomUUID());
  const nodes = Array.from({ length: otherNodes }, () => randomUUID());
  const copy = (number: number) => {
    const name = `grown ${number}`;
    const owner = number % resellerShare === 0 ? resellerId : owners[number % otherOwners];
    const elsewhere = { userId: owner, viewerIds: [owner], nodeId: nodes[number % otherNodes] };
    const place = number < onThisNode ? { viewerIds: template['viewerIds'] } : elsewhere;
    const nameTrigrams = trigramsOf(name);
    const viewerNameGrams = viewerNameGramsOf(place.viewerIds, nameTrigrams);
    const names = { name, nameKey: name, nameTrigrams, viewerNameGrams, uuidShort: `${number}`.padStart(8, '0') };
    const limits = { ...template['limits'], memoryMb: (number % 64) * 128 };
    return { ...template, _id: randomUUID() as never, ...names, ...place, limits, createdAt: new Date() };
  };
  let count = await collection.countDocuments({});
  const insert = async (total: number) => {
    for (; count < total; count += batch) {
      const size = Math.min(batch, total - count);
      await collection.insertMany(Array.from({ length: size }, (_, index) => copy(count + index)));
    }
    count = total;
  };
  return {
    connection,
    to: async (total) => {
      if (total - count < 10 * batch) return insert(total);
      // Updating twenty indexes per document takes three times as long.
      const indexes = (await collection.indexes()).filter(({ name }) => name !== '_id_');
      await collection.dropIndexes();
      await insert(total);
      await collection.createIndexes(indexes.map(({ v: _version, ...index }) => index));
    },
    end: async () => connection.close(),
  };
}
