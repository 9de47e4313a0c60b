import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { createJobs, createLogger, createMetrics } from '@panel/kit/process';
import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { returnTestDatabase } from '@panel/testing';
import { type BillingConfig, readConfig } from '../src/config.js';
import { type BillingContext, type BillingOverrides, createContext } from '../src/context.js';
import { createBillingJobs } from '../src/service.js';
import { quickDocuments } from './fakes.js';

export const serviceSecret = 'test-only-secret-of-at-least-32-characters';

/** Other services have addresses without a listener. */
export function testEnvironment(mongoUrl: string): Record<string, string> {
  return {
    SERVICE_SECRET: serviceSecret,
    MONGO_URL: mongoUrl,
    SERVERS_ADDRESS: '127.0.0.1:1',
    IDENTITY_ADDRESS: '127.0.0.1:1',
    ADMIN_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'silent',
  };
}

/**
 * Without a gRPC server, and without the 80 ms of processor time of each PDF unless `documents` are given; jobs run on demand.
 * Its end returns the database.
 */
export interface Replica {
  readonly config: BillingConfig;
  readonly context: BillingContext;
  readonly mongo: MongoConnection;
  /** Once, in order. */
  readonly runJobs: (...names: string[]) => Promise<void>;
  /** Every job once. */
  readonly tick: () => Promise<void>;
  /** All jobs. */
  readonly runUntilIdle: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function openReplica(
  mongoUrl: string,
  clock: () => Date,
  overrides: BillingOverrides,
  connection?: MongoConnection,
): Promise<Replica> {
  const config = readConfig(testEnvironment(mongoUrl));
  const mongo = connection ?? (await connectMongo(mongoUrl, { appName: 'test' }));
  const log = createLogger({ service: 'test', level: 'silent' });
  const metrics = createMetrics('test');
  const jobs = createJobs({ log, metrics, clock });
  const signer = createActorSigner(serviceSecret);
  // Fakes replace all clients.
  const unused = connect({ address: '127.0.0.1:1', signer, actor: serviceActor('billing') });
  const context = createContext(
    config,
    { mongo, log, clock, systemClock: clock, jobs, metrics, connectTo: () => unused },
    {
      documents: quickDocuments,
      ...overrides,
    },
  );
  await createIndexes(mongo);
  const runnable = new Map(createBillingJobs(context).map((job) => [job.name, job]));
  const runJobs = async (...names: string[]) => {
    for (const name of names) await runnable.get(name)?.run(new AbortController().signal);
  };
  return {
    config,
    context,
    mongo,
    runJobs,
    tick: async () => runJobs(...runnable.keys()),
    runUntilIdle: async () => {
      for (let round = 0; round < 3; round++) await runJobs(...runnable.keys());
    },
    stop: async () => {
      unused.close();
      await jobs.stop();
      await mongo.close();
      await returnTestDatabase('billing', mongoUrl);
    },
  };
}
