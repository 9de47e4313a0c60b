import { databaseUrl } from '@panel/programs';
import type { Stack } from '@panel/stack';
import { mongo } from 'mongoose';

/** As mongodump; the returned function is mongorestore --drop while the service does not run. */
export async function dumpDatabase(stack: Stack, service: string): Promise<() => Promise<void>> {
  const client = new mongo.MongoClient(databaseUrl(stack.mongoUrl, service));
  const database = client.db();
  const collections = async () =>
    (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const read = async (name: string) => [name, await database.collection(name).find().toArray()] as const;
  const dumped = await Promise.all((await collections()).map(read));
  return async () => {
    await stack.kill(service, 'SIGSTOP');
    for (const name of await collections()) await database.collection(name).deleteMany();
    for (const [name, documents] of dumped)
      if (documents.length > 0) await database.collection(name).insertMany(documents);
    await client.close();
    await stack.kill(service, 'SIGKILL');
    await stack.whenReady(service);
  };
}
