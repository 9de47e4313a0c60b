import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Actor, type Client, connect, type Connection, createActorSigner } from '@panel/rpc';
import { connectMongo } from '@panel/kit/mongo';
import { createLogger, createSeal, type RunningProcess } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import {
  AllocationServiceService,
  BackupServiceService,
  ConsoleServiceService,
  DatabaseHostServiceService,
  DatabaseServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
  OwnershipServiceService,
  RegistryServiceService,
  ScheduleServiceService,
  ServerServiceService,
  SubuserServiceService,
} from '@panel/protos/servers';
import { returnTestDatabase, reusedMongoUrl } from '@panel/testing';
import { readConfig, type ServersConfig } from '../../src/config.js';
import type { Overrides } from '../../src/orchestrator/overrides.js';
import { startServers } from '../../src/service.js';
import { createProcessRuntime } from '@panel/runtime';
import { type FakeServices, startFakeServices } from './fake-services.js';
import path from 'node:path';

export const serviceSecret = 'tests-of-servers-secret-0123456789-abcdefghij';
/** The seal of the tested service. */
export const testSeal = createSeal([serviceSecret], 'panel-servers');

/** For one actor. */
export interface Clients {
  readonly nests: Client<NestServiceService>;
  readonly eggs: Client<EggServiceService>;
  readonly nodes: Client<NodeServiceService>;
  readonly allocations: Client<AllocationServiceService>;
  readonly servers: Client<ServerServiceService>;
  readonly subusers: Client<SubuserServiceService>;
  readonly console: Client<ConsoleServiceService>;
  readonly ownership: Client<OwnershipServiceService>;
  readonly schedules: Client<ScheduleServiceService>;
  readonly databases: Client<DatabaseServiceService>;
  readonly databaseHosts: Client<DatabaseHostServiceService>;
  readonly registries: Client<RegistryServiceService>;
  readonly backups: Client<BackupServiceService>;
}

/** The lease's end by its holder. */
const serverLeases = {
  operation: 'operation.leaseExpiresAt',
  backup: 'backup.leaseExpiresAt',
  'power.lease': 'power.lease.expiresAt',
  'pendingCleanups.0': 'pendingCleanups.$[].retryAt',
};

export function userActor(userId: string, permissions: readonly string[] = []): Actor {
  return { kind: 'user', userId, permissions, method: 'session', credentialId: 'session', ip: '127.0.0.1' };
}

/** An ending game or installer may still write there. */
export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** A running service with its own database and fakes. */
export class Harness {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'panel-servers-'));
  readonly #connections: Connection[] = [];
  readonly #running: RunningProcess[] = [];
  readonly mongoUrl = reusedMongoUrl('servers');

  private constructor(
    readonly fakes: FakeServices,
    /** Data root of the files service. */
    readonly filesDirectory: string,
  ) {}

  static async start(
    environment: Record<string, string> = {},
    overrides: Overrides = {},
  ): Promise<Harness & { address: string }> {
    const directory = mkdtempSync(path.join(tmpdir(), 'panel-files-'));
    const fakes = await startFakeServices(directory, serviceSecret);
    const harness = new Harness(fakes, directory);
    harness.#cleanup.push(() => removeDirectory(directory));
    const address = await harness.startReplica(environment, overrides);
    return Object.assign(harness, { address });
  }

  readonly #cleanup: (() => void)[] = [];

  /** For a service process on this database. */
  environment(extra: Record<string, string> = {}): Record<string, string> {
    return {
      SERVICE_SECRET: serviceSecret,
      MONGO_URL: this.mongoUrl,
      LISTEN: '127.0.0.1:0',
      FILES_ADDRESS: this.fakes.address,
      IDENTITY_ADDRESS: this.fakes.address,
      ADMIN_ADDRESS: this.fakes.address,
      BILLING_ADDRESS: this.fakes.address,
      RUN_DIR: path.join(this.directory, 'run'),
      STOP_GRACE: '3s',
      PROCESS_NODES: 'allow',
      NODE_LOCAL_ADDRESSES: 'loopback',
      NODE_MIN_FREE_DISK: '0',
      CRASH_BACKOFF: '100ms',
      NODE_LEASE_TTL: '6s',
      RECONCILE_INTERVAL: '2s',
      RATE_LIMIT_CONSOLE: '10000',
      LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
      ...extra,
    };
  }

  async startReplica(environment: Record<string, string> = {}, overrides: Overrides = {}): Promise<string> {
    const config: ServersConfig = readConfig(this.environment(environment));
    const log = createLogger({ service: 'servers', level: config.logLevel });
    const running = await startServers(config, { log, ...overrides });
    this.#running.push(running);
    return running.addresses.listen;
  }

  /** Until the latest replica has ended `count` whole runs of a periodic job from now on. */
  async jobRuns(job: string, count = 1): Promise<void> {
    const metrics = `http://${this.#running.at(-1)?.addresses.metrics}/metrics`;
    const line = new RegExp(`^job_runs_total\\{[^}]*job="${job}"[^}]*outcome="success"[^}]*\\} (\\d+)`, 'm');
    const ended = async () => Number(line.exec(await (await fetch(metrics)).text())?.[1] ?? 0);
    // a run in progress is no whole one
    const wanted = (await ended()) + 1 + count;
    await waitUntil(`${count} runs of ${job}`, async () => (await ended()) >= wanted);
  }

  async stopReplica(which: 'first' | 'last' = 'last'): Promise<void> {
    await (which === 'last' ? this.#running.pop() : this.#running.shift())?.stop();
  }

  /** Of dead replicas: only call it without a running one. */
  async expireLeases(): Promise<void> {
    const mongo = await connectMongo(this.mongoUrl, { appName: 'test' });
    const past = new Date(0);
    for (const name of ['node_leases', 'replicas'])
      await mongo.collection(name).updateMany({}, { $set: { expiresAt: past } });
    for (const [holder, field] of Object.entries(serverLeases))
      await mongo.collection('servers').updateMany({ [holder]: { $type: 'object' } }, { $set: { [field]: past } });
    await mongo.close();
  }

  /** Default actor: an operator with all permissions. */
  clients(actor: Actor, address: string): Clients {
    const connection = connect({
      address,
      signer: createActorSigner(serviceSecret),
      actor,
      streams: 'events',
      timeoutMs: 30_000,
    });
    this.#connections.push(connection);
    return {
      nests: connection.client(NestServiceService),
      eggs: connection.client(EggServiceService),
      nodes: connection.client(NodeServiceService),
      allocations: connection.client(AllocationServiceService),
      servers: connection.client(ServerServiceService),
      subusers: connection.client(SubuserServiceService),
      console: connection.client(ConsoleServiceService),
      ownership: connection.client(OwnershipServiceService),
      schedules: connection.client(ScheduleServiceService),
      databases: connection.client(DatabaseServiceService),
      databaseHosts: connection.client(DatabaseHostServiceService),
      registries: connection.client(RegistryServiceService),
      backups: connection.client(BackupServiceService),
    };
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    for (const running of this.#running.splice(0)) await running.stop();
    await this.fakes.stop();
    await this.killGames();
    for (const clean of this.#cleanup) clean();
    await returnTestDatabase('servers', this.mongoUrl);
    removeDirectory(this.directory);
  }

  /** Games outlive the service. */
  async killGames(): Promise<void> {
    for (const nodeId of this.processNodes) {
      const runtime = createProcessRuntime({ runDir: path.join(this.directory, 'run', nodeId) });
      for (const { serverId } of await runtime.list()) await runtime.remove(serverId);
      await runtime.close();
    }
  }

  /** Nodes whose games end with the harness. */
  readonly processNodes: string[] = [];
}
