import { databaseUrl } from '@panel/programs';
import type { Stack } from '@panel/stack';
import { mongo } from 'mongoose';

/** Fields that reads change; attacks must not change any other. */
const volatile = new Set(['lastLoginAt', 'lastUsedAt', 'knownIps', 'outbox']);
/** Counters and logs grow with every attempt. */
const ignoredCollections = new Set(['attempts', 'challenges', 'activity', 'activity_outbox']);

/** An installation's databases, bypassing services. */
export interface Databases {
  collection(service: string, name: string): mongo.Collection<Row>;
  /** A service's documents by `collection/id`, without fields that reads change. */
  snapshot(service: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export interface Row {
  readonly _id: string;
  readonly [field: string]: unknown;
}

export async function openDatabases(stack: Stack): Promise<Databases> {
  const clients = new Map<string, mongo.MongoClient>();
  const open = (service: string): mongo.Db => {
    let client = clients.get(service);
    if (!client) {
      client = new mongo.MongoClient(databaseUrl(stack.mongoUrl, service), { maxPoolSize: 4 });
      clients.set(service, client);
    }
    return client.db();
  };
  return {
    collection: (service, name) => open(service).collection<Row>(name),
    snapshot: async (service) => {
      const database = open(service);
      const all: Record<string, string> = {};
      for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
        if (ignoredCollections.has(name)) continue;
        for (const row of await database.collection<Row>(name).find().toArray())
          all[`${name}/${row._id}`] = stable(row);
      }
      return all;
    },
    close: async () => {
      await Promise.all([...clients.values()].map(async (client) => client.close()));
    },
  };
}

function stable(row: Row): string {
  const retained = Object.entries(row).filter(([field]) => !volatile.has(field));
  return JSON.stringify(Object.fromEntries(retained.sort(([a], [b]) => (a < b ? -1 : 1))));
}
