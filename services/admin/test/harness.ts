import {
  type Actor,
  adminClockSource,
  type Client,
  type ClockSource,
  connect,
  createActorSigner,
  serviceActor,
  type UserActor,
} from '@panel/rpc';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import type { Logger } from '@panel/kit/process';
import {
  ActivityServiceService,
  MailServiceService,
  SettingsServiceService,
  TestClockServiceService,
} from '@panel/protos/admin';
import { testMongoUrl } from '@panel/testing';
import { readConfig } from '../src/config.js';
import { startAdmin } from '../src/service.js';

export const serviceSecret = 'test-only-secret-of-at-least-32-characters';

export interface RunningAdmin {
  readonly settings: Client<SettingsServiceService>;
  readonly mail: Client<MailServiceService>;
  readonly activity: Client<ActivityServiceService>;
  readonly testClock: Client<TestClockServiceService>;
  readonly clockSource: ClockSource;
  readonly mongoUrl: string;
  /** For checks of stored data. */
  readonly mongo: MongoConnection;
  /** Of the probes. */
  readonly metrics: string;
  tokenOf(actor: Actor): string;
  /** Before `stop`, of a replica that goes. */
  stopProcess(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestAdminOptions {
  /** Shared database: a second replica. */
  readonly mongoUrl?: string;
  readonly serviceSecret?: string;
  readonly panelUrl?: string;
  /** Default: the tests' SMTP servers. */
  readonly smtpAllowedAddresses?: string;
  readonly log?: Logger;
  readonly testClock?: boolean;
}

/** On a free port, with its own database unless a replica. */
export async function startTestAdmin(options: TestAdminOptions = {}): Promise<RunningAdmin> {
  const mongoUrl = options.mongoUrl ?? testMongoUrl('admin');
  const secret = options.serviceSecret ?? serviceSecret;
  const config = readConfig({
    SERVICE_SECRET: secret,
    MONGO_URL: mongoUrl,
    LOG_LEVEL: 'silent',
    PANEL_URL: options.panelUrl,
    TEST_CLOCK: options.testClock ? 'true' : undefined,
    SMTP_ALLOWED_ADDRESSES: options.smtpAllowedAddresses ?? '127.0.0.0/8',
  });
  const running = await startAdmin(config, { log: options.log });
  const signer = createActorSigner(secret);
  const connection = connect({
    address: running.addresses.listen,
    signer,
    actor: serviceActor('test'),
    timeoutMs: 30_000,
  });
  const mongo = await connectMongo(mongoUrl, { appName: 'test' });
  let stopped: Promise<void> | undefined;
  const stopProcess = async () => (stopped ??= running.stop());
  return {
    settings: connection.client(SettingsServiceService),
    mail: connection.client(MailServiceService),
    activity: connection.client(ActivityServiceService),
    testClock: connection.client(TestClockServiceService),
    clockSource: adminClockSource(connection),
    mongoUrl,
    mongo,
    metrics: running.addresses.metrics,
    tokenOf: (actor) => signer.sign(actor),
    stopProcess,
    stop: async () => {
      connection.close();
      await stopProcess();
      if (options.mongoUrl === undefined) await mongo.dropDatabase();
      await mongo.close();
    },
  };
}

export const userId = '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a01';

/** With these permissions. */
export function userActor(permissions: readonly string[] = [], id = userId): UserActor {
  return {
    kind: 'user',
    userId: id,
    permissions,
    method: 'session',
    credentialId: '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a02',
    ip: '192.0.2.1',
  };
}

/** Null: the call succeeded. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}

export { reasonOf } from '@panel/kit/testing';
