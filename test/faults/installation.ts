import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPanelClient, type PanelClient } from '@panel/client';
import { databaseUrl, startMongo, startRedis } from '@panel/programs';
import { type Stack, startStack } from '@panel/stack';
import { type BreakableProxy, startBreakableProxy } from '@panel/testing';
import { makeTestImages, removeContainersBelow, socketPath } from '@panel/testing/engine';
import { type Fault, type GameRuntime, leaseMs, type Link, type ServiceName, services } from './plan.js';

const run = promisify(execFile);
const adminPassword = 'correct horse battery';
/** Sparse: takes memory only for what is written. */
const diskMb = 16_384;
const signals = ['SIGINT', 'SIGTERM'] as const;
const delayMs = 700;
const repeatMs = 400;

/** Separate processes with a proxy before each, and a database and Redis of its own. */
export interface Installation {
  readonly stack: Stack;
  /** Of the proxy before the gateway. */
  readonly baseUrl: string;
  /** Of an administrator. */
  readonly admin: PanelClient;
  /** Null where no disk of its own can be mounted. */
  readonly disk: string | null;
  readonly runtime: GameRuntime;
  /** Resolves when the fault is over and everything goes on. */
  cause(fault: Fault): Promise<void>;
  /** Whether this machine can have the fault. */
  isPossible(fault: Fault): boolean;
  stop(): Promise<void>;
}

export async function startInstallation(runtime: GameRuntime, log: (line: string) => void): Promise<Installation> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'panel-faults-'));
  // Under root, games run as another user.
  await chmod(dataDir, 0o711);
  const disk = await mountDisk(path.join(dataDir, 'node'));
  const proxies = new Map<Link, BreakableProxy>();
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const signal of signals) process.off(signal, stopAndExit);
    for (const end of stops.toReversed()) await end();
    for (const proxy of proxies.values()) await proxy.close();
    if (runtime === 'docker') await removeContainersBelow(dataDir);
    if (disk !== null) await run('umount', ['-l', disk]);
    await rm(dataDir, { recursive: true, force: true });
  };
  const stopAndExit = () => void stop().finally(() => process.exit(130));
  for (const signal of signals) process.once(signal, stopAndExit);
  const passOn = async (link: Link, target: Parameters<typeof startBreakableProxy>[0]) => {
    const proxy = await startBreakableProxy(target);
    proxies.set(link, proxy);
    return `127.0.0.1:${proxy.port}`;
  };
  /** The address at which a proxy passes on what is sent to `address`. */
  const before = async (link: Link, address: string) => {
    const { hostname, port } = new URL(`tcp://${address}`);
    return passOn(link, { host: hostname, port: Number(port) });
  };
  const engine = async () => {
    if (runtime === 'process') return {};
    await makeTestImages();
    return { DOCKER_HOST: `tcp://${await passOn('engine', { path: socketPath })}` };
  };
  try {
    const own = { dataDir: path.join(dataDir, 'data'), searchPath: process.env['PATH'] ?? '', log };
    const mongo = await startMongo({ ...own, minFreeDiskMb: 0 });
    stops.push(async () => mongo.stop(2_000));
    const redis = await startRedis(own);
    if (redis) stops.push(async () => redis.stop(2_000));
    const through = async (link: Link, url: string) => {
      const proxied = new URL(url);
      proxied.host = await before(link, proxied.host);
      return proxied.href;
    };
    const overrides: Record<string, Record<string, string>> = {};
    for (const name of services) {
      const url = await through(`${name} database`, mongo.url);
      overrides[name] = { MONGO_URL: databaseUrl(url, name) };
    }
    const stack = await startStack({
      env: {
        PATH: process.env['PATH'],
        ...settings,
        RUNTIME: runtime,
        ...(await engine()),
        DATA_DIR: dataDir,
        MONGO_URL: mongo.url,
        REDIS_URL: redis ? await through('redis', redis.url) : undefined,
      },
      overrides,
      reachedAt: async (name: ServiceName, listen) => before(name, listen),
      log,
    });
    stops.push(async () => stack.stop());
    const baseUrl = `http://${await before('gateway', new URL(stack.baseUrl).host)}`;
    const admin = createPanelClient({ baseUrl });
    await admin.login(stack.adminEmail, adminPassword);
    const databases = { mongo: mongo.process, redis: redis?.process };
    const kill = async (name: string, signal: NodeJS.Signals) =>
      name === 'mongo' || name === 'redis' ? databases[name]?.kill(signal) : stack.kill(name, signal);
    const missing = new Set([
      ...(disk === null ? ['disk'] : []),
      ...(redis === null ? ['redis'] : []),
      ...(mongo.process ? [] : ['mongo']),
      ...(runtime === 'docker' ? [] : ['engine']),
    ]);
    const isPossible = ({ where }: Fault) => !missing.has(where);
    const cause = async (fault: Fault) => {
      if (fault.kind === 'fill') return fill(disk ?? '', fault.forMs);
      if (fault.kind === 'kill') return kill(fault.where, 'SIGKILL');
      if (fault.kind !== 'pause') return breakLink(proxies.get(fault.where), fault);
      await kill(fault.where, 'SIGSTOP');
      await wait(fault.forMs);
      return kill(fault.where, 'SIGCONT');
    };
    return { stack, baseUrl, admin, disk, runtime, cause, isPossible, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const settings = {
  PORT: '0',
  ADMIN_PASSWORD: adminPassword,
  RATE_LIMIT_GENERAL: '1000000',
  RATE_LIMIT_AUTH: '10000',
  RATE_LIMIT_CONSOLE: '10000',
  RATE_LIMIT_UPLOAD: '1000000',
  RATE_LIMIT_BACKUP: '10000',
  INVITATION_LIMIT: '10000',
  // An answer unlike its declaration is a 500.
  CHECK_RESPONSES: 'true',
  JWT_ACCESS_EXPIRY: '12h',
  NODE_LEASE_TTL: `${leaseMs}ms`,
  RECONCILE_INTERVAL: '5s',
  // The disk is filled to its last page.
  MIN_FREE_DISK_MB: '0',
  NODE_MIN_FREE_DISK: '0',
};

async function breakLink(proxy: BreakableProxy | undefined, { kind, forMs }: Fault): Promise<void> {
  if (!proxy) throw new Error('no such link');
  if (kind === 'cut' || kind === 'lose replies') {
    for (let left = forMs; left > 0; left -= repeatMs) {
      if (kind === 'cut') proxy.cut();
      else proxy.loseReplies();
      await wait(repeatMs);
    }
  } else {
    if (kind === 'refuse') await proxy.refuse();
    else if (kind === 'hang') proxy.hang();
    else proxy.delay(delayMs);
    await wait(forMs);
  }
  await proxy.mend();
}

/** A disk of its own can be mounted by root only. */
async function mountDisk(at: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  await mkdir(at);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=755`, 'panel-test', at]);
  return at;
}

/** The disk gets as small as what is on it. */
async function fill(disk: string, forMs: number): Promise<void> {
  const resize = async (size: string) => run('mount', ['-o', `remount,size=${size}`, disk]);
  const { blocks, bfree, bsize } = statfsSync(disk);
  // What is written meanwhile.
  const spareKb = 256;
  await resize(`${Math.ceil(((blocks - bfree) * bsize) / 1024) + spareKb}k`);
  await wait(forMs);
  await resize(`${diskMb}m`);
}
