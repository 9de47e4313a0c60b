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
  // Most processes of tests need no driver.
  const { connectMongo } = await import('@panel/kit/mongo');
  const mongo = await connectMongo(url, { appName: 'test' });
  try {
    await mongo.dropDatabase();
    made.delete(url);
  } finally {
    await mongo.close();
  }
}

export async function dropTestDatabases(): Promise<void> {
  for (const url of made) await dropTestDatabase(url);
}
