import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Environment, TlsFiles } from '@panel/kit';
import { readStackConfig, type StackConfig } from './config.js';
import { detectEngine, type Engine } from './engine/detect-engine.js';
import { openDataDir, type DataDir } from './launch/data-dir.js';
import { endGames, endLeftovers, noteProcesses } from './launch/leftovers.js';
import { planProcesses, type Plan, type PlannedProcess, type ServiceName } from './launch/plan.js';
import { writePrivateJson } from './launch/private-file.js';
import { loadSecrets, type Secrets } from './launch/secrets.js';
import { OperatorError, type LogLine } from './log.js';
import { startMongo, type RunningMongo } from './mongo/start-mongo.js';
import { whyNotFree } from './processes/ports.js';
import { supervise, type SupervisedProcess } from './processes/supervised.js';
import { startRedis, type RunningRedis } from './redis/start-redis.js';
import { seed } from './seed/seed.js';
import type { FirstAdmin } from './seed/first-admin.js';

/** A stop takes at most the sum of these: gateways first, then services, then what they depend on. */
const graceMs = { gateways: 2_500, services: 5_000, parts: 2_000 };
const readyTimeoutMs = 60_000;

export interface StackOptions {
  /** The launcher's variables (HOST, PORT, DATA_DIR, SEED, …). Default: those of this process. */
  readonly env?: Environment;
  /** Variables of single processes that win over the launcher's, by name; `gateway` means every gateway. */
  readonly overrides?: Readonly<Record<string, Environment>>;
  /** How many gateways to start; more than one needs Redis. */
  readonly gateways?: number;
  /** Takes one line per step and per event. */
  readonly log: LogLine;
}

/** A whole installation on this machine. */
export interface Stack {
  /** Of the first gateway, without a path. */
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** All gateways, the first included. */
  readonly gateways: readonly { readonly name: string; readonly baseUrl: string; readonly wsUrl: string }[];
  readonly adminEmail: string;
  /** Only on the start that made the administrator, or when ADMIN_PASSWORD gives it. */
  readonly adminPassword?: string;
  /** Whether this start made the administrator. */
  readonly isFirstStart: boolean;
  readonly grpc: Readonly<Record<ServiceName, string>>;
  /** Prometheus and health addresses by process name. */
  readonly metrics: Readonly<Record<string, string>>;
  readonly mongoUrl: string;
  readonly redisUrl: string | null;
  readonly runtime: Engine['kind'];
  readonly dataDir: string;
  /** For tools that call services directly as a service. */
  readonly serviceSecret: string;
  /** By name: the services, `gateway`, `gateway-2`, …, `mongo` and `redis` where they are ours. */
  pids(): Readonly<Record<string, number>>;
  /** SIGTERM, then wait until the next one is ready. */
  restart(name: string): Promise<void>;
  /** Resolves once the process has ended (for signals that end it); it is started again on the same addresses. */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Resolves when the process is ready (again). */
  whenReady(name: string): Promise<void>;
  /** Stops everything in order within 10 s; nothing is left running. Idempotent. */
  stop(): Promise<void>;
}

/** Everything that has been started so far, so that a failure in the middle can stop it. */
interface Parts {
  mongo?: RunningMongo;
  redis?: RunningRedis | null;
  readonly services: Map<string, SupervisedProcess>;
  readonly gateways: Map<string, SupervisedProcess>;
}

/**
 * Boots MongoDB, Redis, the services and the gateways, seeds, and writes DATA_DIR/stack.json. Throws ConfigError or
 * OperatorError, each with a message for the operator, after stopping what had been started.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const config = readStackConfig(options.env);
  if (config.port !== 0) await checkPort(config);
  const dataDir = await openDataDir(config.dataDir);
  const parts: Parts = { services: new Map(), gateways: new Map() };
  try {
    return await boot(options, config, dataDir, parts);
  } catch (error) {
    await stopParts(parts, dataDir, options.log);
    throw error;
  }
}

async function boot(options: StackOptions, config: StackConfig, dataDir: DataDir, parts: Parts): Promise<Stack> {
  const { log } = options;
  const noted = path.join(dataDir.run, 'processes.json');
  await endLeftovers(noted, log);
  const secrets = loadSecrets(dataDir.file('secrets.json'));
  const engine = await detectEngine({ ...config, log });
  await startData(config, dataDir, parts, log);
  const { mongo, redis } = parts;
  const gateways = options.gateways ?? 1;
  if (!mongo) throw new Error('MongoDB was not started');
  if (gateways > 1 && !redis)
    throw new OperatorError('several gateways need Redis: set REDIS_URL or install redis-server');

  const overrides = options.overrides ?? {};
  const redisUrl = redis?.url ?? null;
  const plan = await planProcesses({ config, dataDir, secrets, mongoUrl: mongo.url, redisUrl, gateways, overrides });
  const note = (): void => noteProcesses(noted, Object.values(pidsOf(parts)));
  await startAll(plan, dataDir, parts, note, log);
  const grpc = Object.fromEntries(plan.services.map(({ name, listen }) => [name, listen])) as Stack['grpc'];
  const tls = tlsOf(config.passedOn);
  const admin = await seed({
    config,
    dataDir,
    engine,
    addresses: grpc,
    serviceSecret: secrets.serviceSecret,
    tls,
    log,
  });
  const stack = describeStack({ config, dataDir, parts, plan, secrets, engine, admin, grpc, log });
  writeStackFile(stack, dataDir);
  return stack;
}

async function checkPort({ host, port }: StackConfig): Promise<void> {
  const code = await whyNotFree(port, host);
  if (code === undefined) return;
  if (code === 'EADDRINUSE') {
    throw new OperatorError(
      `port ${port} on ${host} is in use: stop what listens there, or set PORT (0 takes any free one)`,
    );
  }
  if (code === 'EACCES') throw new OperatorError(`port ${port} may not be used by this user: set PORT to 1024 or more`);
  throw new OperatorError(`cannot listen on HOST ${host} (${code}): set HOST to an address of this machine`);
}

/** MongoDB and Redis. */
async function startData(config: StackConfig, dataDir: DataDir, parts: Parts, log: LogLine): Promise<void> {
  const common = { dataDir: dataDir.root, searchPath: config.searchPath, log };
  const logFile = (name: string): string => path.join(dataDir.logs, `${name}.log`);
  const { mongoUrl, mongodBin, redisUrl } = config;
  const started = await Promise.allSettled([
    startMongo({ ...common, url: mongoUrl, mongodBin, logFile: logFile('mongo') }).then((it) => (parts.mongo = it)),
    startRedis({ ...common, url: redisUrl, logFile: logFile('redis') }).then((it) => (parts.redis = it)),
  ]);
  throwFirst(started);
}

async function startAll(plan: Plan, dataDir: DataDir, parts: Parts, note: () => void, log: LogLine): Promise<void> {
  const startedAt = performance.now();
  const start = async (planned: PlannedProcess, into: Map<string, SupervisedProcess>): Promise<void> => {
    const { name, program, env } = planned;
    const logFile = path.join(dataDir.logs, `${name}.log`);
    const child = { name, command: process.execPath, args: [program], env: { ...env }, logFile, readyTimeoutMs };
    into.set(name, await supervise({ ...child, ready: 'message', onReady: note }, log));
    log(`${name} is ready on ${planned.listen} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  };
  log(`starting ${[...plan.services, ...plan.gateways].map(({ name }) => name).join(', ')}`);
  const started = await Promise.allSettled([
    ...plan.services.map((planned) => start(planned, parts.services)),
    ...plan.gateways.map((planned) => start(planned, parts.gateways)),
  ]);
  note();
  throwFirst(started);
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

interface Booted {
  readonly config: StackConfig;
  readonly dataDir: DataDir;
  readonly parts: Parts;
  readonly plan: Plan;
  readonly secrets: Secrets;
  readonly engine: Engine;
  readonly admin: FirstAdmin;
  readonly grpc: Stack['grpc'];
  readonly log: LogLine;
}

function describeStack(booted: Booted): Stack {
  const { config, dataDir, parts, plan, admin } = booted;
  const gateways = plan.gateways.map(({ name, listen }) => {
    const address = reachableAddress(listen);
    return { name, baseUrl: `http://${address}`, wsUrl: `ws://${address}` };
  });
  const [first] = gateways;
  if (!first) throw new Error('no gateway was planned');
  const password = admin.password ?? (admin.created ? config.adminPassword : undefined);
  let stopped: Promise<void> | undefined;
  return {
    baseUrl: first.baseUrl,
    wsUrl: first.wsUrl,
    gateways,
    adminEmail: admin.email,
    ...(password === undefined ? {} : { adminPassword: password }),
    isFirstStart: admin.created,
    grpc: booted.grpc,
    metrics: Object.fromEntries([...plan.services, ...plan.gateways].map(({ name, metrics }) => [name, metrics])),
    mongoUrl: parts.mongo?.url ?? '',
    redisUrl: parts.redis?.url ?? null,
    runtime: booted.engine.kind,
    dataDir: dataDir.root,
    serviceSecret: booted.secrets.serviceSecret,
    pids: () => pidsOf(parts),
    restart: (name) => processOf(parts, name).restart(),
    kill: (name, signal) => processOf(parts, name).kill(signal),
    whenReady: (name) => processOf(parts, name).whenReady(),
    stop: () => (stopped ??= stopParts(parts, dataDir, booted.log)),
  };
}

/** An address a client on this machine can use: "any address" is none. */
function reachableAddress(listen: string): string {
  const port = listen.slice(listen.lastIndexOf(':') + 1);
  const host = listen.slice(0, -port.length - 1);
  if (host === '0.0.0.0' || host === '::') return `127.0.0.1:${port}`;
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : listen;
}

function allProcesses({ mongo, redis, services, gateways }: Parts): SupervisedProcess[] {
  return [...services.values(), ...gateways.values(), mongo?.process, redis?.process].filter((it) => it !== undefined);
}

function pidsOf(parts: Parts): Record<string, number> {
  return Object.fromEntries(allProcesses(parts).map((it) => [it.name, it.pid()]));
}

function processOf(parts: Parts, name: string): SupervisedProcess {
  const found = allProcesses(parts).find((it) => it.name === name);
  if (!found) throw new Error(`no process ${name} in this stack`);
  return found;
}

function tlsOf(env: Environment): TlsFiles | null {
  const { GRPC_TLS_CERT: certFile, GRPC_TLS_KEY: keyFile, GRPC_TLS_CA: caFile } = env;
  return certFile && keyFile && caFile ? { certFile, keyFile, caFile } : null;
}

/** For scripts and tests that look for a running installation. */
function writeStackFile(stack: Stack, dataDir: DataDir): void {
  writePrivateJson(dataDir.file('stack.json'), {
    base_url: stack.baseUrl,
    ws_url: stack.wsUrl,
    admin_email: stack.adminEmail,
    grpc: stack.grpc,
    metrics: stack.metrics,
    pids: stack.pids(),
    mongo_url: stack.mongoUrl,
    redis_url: stack.redisUrl,
    runtime: stack.runtime,
  });
}

async function stopParts(parts: Parts, dataDir: DataDir, log: LogLine): Promise<void> {
  await Promise.all([...parts.gateways.values()].map((it) => it.stop(graceMs.gateways)));
  await Promise.all([...parts.services.values()].map((it) => it.stop(graceMs.services)));
  endGames(path.join(dataDir.run, 'games'), dataDir.node, log);
  await Promise.all([parts.redis?.stop(graceMs.parts), parts.mongo?.stop(graceMs.parts)]);
  rmSync(dataDir.file('stack.json'), { force: true });
  rmSync(path.join(dataDir.run, 'processes.json'), { force: true });
  dataDir.unlock();
}
