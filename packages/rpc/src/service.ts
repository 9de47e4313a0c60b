import { findRpcPermission } from '@panel/protos/permissions';
import { type ActorSigner, createActorSigner, serviceActor } from './auth/actor.js';
import type { ServiceConfig } from './config.js';
import { connect, type Connection, type ConnectionOptions } from './client.js';
import { type ServedService, startGrpcServer } from './server.js';
import { adminClockSource, type ClockSource } from './test-clock/clock-source.js';
import { FollowedClock } from './test-clock/followed-clock.js';
import { measureTls } from './tls.js';
import {
  connectMongo,
  createIndexes,
  migrate,
  type Migration,
  type MongoConnection,
  pingMongo,
} from '@panel/kit/mongo';
import {
  ConfigError,
  createJobs,
  createLogger,
  createMetrics,
  createTaskGroup,
  type Job,
  type Jobs,
  type Logger,
  type Metrics,
  type ReadinessCheck,
  type RunningProcess,
  startProbeServer,
  startReadiness,
  realClock,
  startTracing,
  type TaskGroup,
} from '@panel/kit/process';

export interface ServiceBase {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly mongo: MongoConnection;
  readonly signer: ActorSigner;
  readonly tasks: TaskGroup;
  /** For later jobs; others belong in `ServiceParts.jobs`. */
  readonly jobs: Jobs;
  /** The installation's: moved by its test clock, and by tests. */
  readonly clock: () => Date;
  /** Of files, engines, devices, other companies and leases in the database: moved by tests only. */
  readonly systemClock: () => Date;
  /** See `TestClock`. */
  readonly reached: (due: Date) => Date;
  /** Closed at stop. */
  connectTo(address: string, options?: Pick<ConnectionOptions, 'streams' | 'guard'>): Connection;
}

interface ServiceParts {
  readonly services: readonly ServedService[];
  /** Beside MongoDB. */
  readonly checks?: Readonly<Record<string, ReadinessCheck>>;
  /** Started after `onIndexed`, before the first call. */
  readonly jobs?: readonly Job[];
  /** While calls are still served. */
  readonly beforeStop?: () => Promise<void>;
  /** After all calls and tasks. */
  readonly afterStop?: () => Promise<void>;
}

interface ServiceOptions {
  readonly name: string;
  readonly config: ServiceConfig;
  /** Run by one replica before models and probes. */
  readonly migrations: readonly Migration[];
  /** Registers models on `base.mongo`. Index creation follows. */
  readonly build: (base: ServiceBase) => Promise<ServiceParts>;
  /** Before the first call. */
  readonly onIndexed?: () => Promise<void>;
  readonly log?: Logger;
  readonly clock?: () => Date;
  /** For TEST_CLOCK. */
  readonly adminAddress?: string | null;
  /** Instead of the admin service at `adminAddress`. Null: no test clock. */
  readonly clockSource?: (mongo: MongoConnection) => Promise<ClockSource | null>;
}

const drainMs = 5_000;

/** In order: database, models, indexes, handlers, gRPC server, probes. Stops in reverse. */
export async function startService(options: ServiceOptions): Promise<RunningProcess> {
  const { name, config } = options;
  const log = options.log ?? createLogger({ service: name, level: config.logLevel });
  const metrics = createMetrics(name);
  measureTls(metrics, config.tls);
  const tracing = config.tracing ? await startTracing({ service: name, ...config.tracing }) : undefined;
  const signer = createActorSigner(config.serviceSecret);
  const mongo = await connectMongo(config.mongoUrl, { appName: name });
  await migrate(mongo, options.migrations, { log });
  const tasks = createTaskGroup(log);
  const connections: Connection[] = [];
  const connectTo: ServiceBase['connectTo'] = (address, settings) => {
    const connection = connect({
      ...settings,
      address,
      signer,
      actor: serviceActor(name),
      tls: config.tls,
      transport: config.transport,
    });
    connections.push(connection);
    return connection;
  };
  const followed = await followClock(options, { mongo, log, connectTo }).catch(async (error: unknown) => {
    for (const connection of connections) connection.close();
    await mongo.close();
    throw error;
  });
  const { now, reached } = followed?.clock ?? realClock;
  const { clock = now, clock: systemClock = realClock.now } = options;
  const jobs = createJobs({ log, metrics, clock });
  const times = { clock, systemClock, reached };
  const parts = await options.build({ log, metrics, mongo, signer, tasks, jobs, ...times, connectTo });
  await createIndexes(mongo);
  await options.onIndexed?.();
  jobs.start(parts.jobs ?? []);
  followed?.settleBy(async () => jobs.rush());
  const server = await startGrpcServer(parts.services, {
    listen: config.listen,
    signer,
    log,
    metrics,
    tracing,
    tls: config.tls,
    hasReflection: true,
    permissionOf: findRpcPermission,
  });
  const readiness = await startReadiness(
    { mongo: async () => pingMongo(mongo), ...parts.checks },
    {
      metrics,
      onChange: (isReady, failing) => {
        server.setReady(isReady);
        if (!isReady) log.warn({ failing }, 'not ready');
      },
    },
  );
  const probes = await startProbeServer({ listen: config.metricsListen, metrics, failingChecks: readiness.failing });
  return {
    addresses: { listen: server.address, metrics: probes.address },
    log,
    stop: async () => {
      readiness.stop();
      server.setReady(false);
      await parts.beforeStop?.();
      await server.stop(drainMs);
      await Promise.all([jobs.stop(), tasks.stop(), followed?.stop()]);
      await parts.afterStop?.();
      for (const connection of connections) connection.close();
      await mongo.close();
      await tracing?.stop();
      await probes.stop();
    },
  };
}

async function followClock(
  { name, config, adminAddress, clockSource }: ServiceOptions,
  { mongo, log, connectTo }: Pick<ServiceBase, 'mongo' | 'log' | 'connectTo'>,
): Promise<FollowedClock | null> {
  const ofAdmin = () => {
    if (!adminAddress) throw new ConfigError(['TEST_CLOCK needs ADMIN_ADDRESS']);
    return adminClockSource(connectTo(adminAddress));
  };
  const source = clockSource ? await clockSource(mongo) : config.testClock ? ofAdmin() : null;
  return source && FollowedClock.start({ name, source, log });
}
