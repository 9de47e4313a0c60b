import { randomUUID } from 'node:crypto';
import { databaseUrl } from '@panel/stack';
import mongoose from 'mongoose';
import type { Installation } from './installation.js';

/** Servers that are only in the database: copies of the one that is there, with names and ids of their own. */
export interface Growth {
  /** Insert until there are this many. */
  to(total: number): Promise<void>;
  end(): Promise<void>;
}

const batch = 2_000;

export async function growServers({ stack }: Installation): Promise<Growth> {
  const connection = await mongoose.createConnection(databaseUrl(stack.mongoUrl, 'servers')).asPromise();
  const collection = connection.collection('servers');
  const template = await collection.findOne({});
  if (template === null) throw new Error('there is no server to copy');
  let count = 1;
  const copy = (number: number) => {
    const id = randomUUID();
    const name = `grown ${number}`;
    const grams = new Set([2, 3].flatMap((length) => partsOf(name, length)));
    const names = { name, nameKey: name, nameGrams: [...grams] };
    return { ...template, _id: id as never, uuidShort: `${number}`.padStart(8, '0'), ...names };
  };
  return {
    to: async (total) => {
      while (count < total) {
        const size = Math.min(batch, total - count);
        const first = count;
        await collection.insertMany(Array.from({ length: size }, (_, index) => copy(first + index)));
        count += size;
      }
    },
    end: async () => connection.close(),
  };
}

/** As the service cuts names for its search. */
function partsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}
