import type { MongoConnection } from '@panel/kit/mongo';

/**
 * Databases of this process that are not dropped. An engine with many of them is slow for all: it visits each collection and
 * index every few seconds (measured: 10 % of a core for 50 databases of the servers service).
 */
const made = new Set<string>();

/** Dropped at the end of the run, unless before. */
export function noteTestDatabase(url: string): string {
  made.add(url);
  return url;
}

/** After the last process on it has ended. */
export async function dropTestDatabase(url: string): Promise<void> {
  await onDatabase(url, async (mongo) => mongo.dropDatabase());
  made.delete(url);
}

/** By use; the longest unused first. */
const returned = new Map<string, string[]>();

/** For a fixture of the same use, whose collections and indexes are the same: making them takes the engine 0.1 s or more. */
export function borrowTestDatabase(use: string, make: () => string): string {
  const urls = returned.get(use) ?? [];
  // The latest rests, because what a killed process has sent last may be written after its end.
  return (urls.length > 1 ? urls.shift() : undefined) ?? make();
}

/** As `dropTestDatabase`, but keeps its empty collections and their indexes for another one of this process. */
export async function returnTestDatabase(use: string, url: string): Promise<void> {
  const urls = [...(returned.get(use) ?? []), url];
  // None is borrowed while it is emptied.
  returned.delete(use);
  for (const each of urls) await onDatabase(each, emptyCollections);
  returned.set(use, [...urls, ...(returned.get(use) ?? [])]);
}

async function emptyCollections({ db }: MongoConnection): Promise<void> {
  if (!db) throw new TypeError('not connected');
  for (const { collectionName } of await db.collections()) await db.collection(collectionName).deleteMany({});
}

async function onDatabase(url: string, work: (mongo: MongoConnection) => Promise<void>): Promise<void> {
  // Most processes of tests need no driver.
  const { connectMongo } = await import('@panel/kit/mongo');
  const mongo = await connectMongo(url, { appName: 'test' });
  try {
    await work(mongo);
  } finally {
    await mongo.close();
  }
}

export async function dropTestDatabases(): Promise<void> {
  for (const url of made) await dropTestDatabase(url);
}
