import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertNever } from '@panel/kit/errors';
import { hostPort } from '@panel/kit/net';
import type { Environment } from '@panel/kit/process';
import { forwardedEnv, type StackConfig } from '../config.js';
import { databaseUrl, freePorts, OperatorError, takePort } from '@panel/programs';
import type { Engine } from '../engine/detect-engine.js';
import type { DataDir } from './data-dir.js';
import type { Secrets } from './secrets.js';

const serviceNames = ['admin', 'files', 'identity', 'servers', 'billing'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Addresses are fixed before any start. */
export interface PlannedProcess {
  readonly name: string;
  readonly program: string;
  readonly nodeArgs: readonly string[];
  readonly listen: string;
  readonly metrics: string;
  readonly env: Environment;
}

/** A files service of a further node. */
interface FilesProcess extends PlannedProcess {
  readonly dataRoot: string;
}

export interface Plan {
  readonly services: readonly (PlannedProcess & { readonly name: ServiceName })[];
  /** Where the others reach each service. */
  readonly addresses: Readonly<Record<ServiceName, string>>;
  /** SFTP address of the first files service. */
  readonly sftp: string;
  /** Of further nodes. */
  readonly moreFiles: readonly FilesProcess[];
  /** The first uses HOST and PORT, others their own ports. */
  readonly gateways: readonly PlannedProcess[];
}

interface PlanInput {
  readonly config: StackConfig;
  readonly engine: Pick<Engine, 'kind'>;
  readonly dataDir: DataDir;
  readonly secrets: Secrets;
  readonly mongoUrl: string;
  readonly redisUrl: string | null;
  readonly gateways: number;
  /** Each with its own data root. */
  readonly files: number;
  /** By process name; `gateway` means every gateway. */
  readonly overrides: Readonly<Record<string, Environment>>;
  /** By kind: a service's name or `gateway`. */
  readonly programOf: (kind: string) => string;
  /** Another address of a service for all others. Default: the one that it listens on. */
  readonly reachedAt?: (name: ServiceName, listen: string) => Promise<string>;
}

/**
 * A small young generation (MB) saves them 15 to 25 MB each. It would cost the gateway a third more CPU
 * (bench/HISTORY.md).
 */
const quietKinds: ReadonlySet<string> = new Set(['admin', 'billing', 'files', 'identity']);

/** This file is packages/stack/dist/src/launch/plan.js. */
const repository = fileURLToPath(new URL('../../../../../', import.meta.url));

/** One file with all that it imports. */
export function builtProgram(kind: string): string {
  return path.join(compiledFolder(kind), 'main.js');
}

/** The same process from its modules, which a debugger or a profile can distinguish. */
export function modularProgram(kind: string): string {
  return path.join(compiledFolder(kind), 'src', 'main.js');
}

function compiledFolder(kind: string): string {
  return path.join(repository, kind === 'gateway' ? kind : path.join('services', kind), 'dist');
}

/** Before any start. Throws OperatorError. */
export function checkPrograms(programOf: (kind: string) => string): void {
  const missing = [...serviceNames, 'gateway'].filter((kind) => !existsSync(programOf(kind)));
  if (missing.length > 0) throw new OperatorError(`not built: ${missing.join(', ')}; run npm run build`);
}

export async function planProcesses(input: PlanInput): Promise<Plan> {
  const { config, gateways } = input;
  const ports = await freePorts((serviceNames.length + gateways + input.files) * 2 + 1);
  const take = (): string => `127.0.0.1:${ports.pop()}`;
  const sftp = await sftpAddress(config, ports.pop() ?? 0);
  const { reachedAt = async (_name, listen) => listen } = input;
  const planned = serviceNames.map((name) => ({ name, listen: take() }));
  const reached = await Promise.all(planned.map(async ({ name, listen }) => [name, await reachedAt(name, listen)]));
  const addresses = Object.fromEntries(reached) as Record<ServiceName, string>;
  const moreFiles = Array.from({ length: input.files - 1 }, (_, i) => {
    const name = `files-${i + 2}`;
    const [listen, dataRoot] = [take(), `${input.dataDir.node}-${i + 2}`];
    const own = {
      ...localNodes,
      LISTEN: listen,
      MONGO_URL: databaseUrl(input.mongoUrl, 'files'),
      ADMIN_ADDRESS: addresses.admin,
      DATA_ROOT: dataRoot,
    };
    return { name, dataRoot, ...finish(name, 'files', input, listen, take(), own) };
  });
  const gatewayProcesses = Array.from({ length: gateways }, (_, i) => {
    const name = i === 0 ? 'gateway' : `gateway-${i + 1}`;
    const port = i === 0 && config.port !== 0 ? config.port : Number(take().split(':')[1]);
    const own = { HOST: config.host, PORT: `${port}`, ...gatewayEnvironment(input, addresses) };
    return { name, ...finish(name, 'gateway', input, `${config.host}:${port}`, take(), own) };
  });
  const panelUrl = `http://${reachableAddress(gatewayProcesses[0]?.listen ?? '')}`;
  const services = planned.map(({ name, listen }) => {
    const own = serviceEnvironment(name, input, addresses, { panelUrl, sftp });
    return { name, ...finish(name, name, input, listen, take(), { LISTEN: listen, ...own }) };
  });
  return { services, addresses, sftp, moreFiles, gateways: gatewayProcesses };
}

/** For processes that connect to nodes: the whole installation is local. */
const localNodes = { NODE_LOCAL_ADDRESSES: 'loopback' };

const sftpPort = 2022;

/** Another port for a second installation. */
async function sftpAddress({ host, port, sftpListen }: StackConfig, free: number): Promise<string> {
  if (sftpListen !== undefined) return sftpListen;
  const isUsual = port !== 0 && (await takePort(sftpPort, host)) === undefined;
  return hostPort(host, isUsual ? sftpPort : free);
}

/** Replaces "any address". */
export function reachableAddress(listen: string): string {
  const port = listen.slice(listen.lastIndexOf(':') + 1);
  const host = listen.slice(0, -port.length - 1);
  if (host === '0.0.0.0' || host === '::') return `127.0.0.1:${port}`;
  return hostPort(host, Number(port));
}

function finish(
  name: string,
  kind: string,
  { config, secrets, overrides, programOf }: PlanInput,
  listen: string,
  metrics: string,
  own: Environment,
): Omit<PlannedProcess, 'name'> {
  const program = programOf(kind);
  const nodeArgs = quietKinds.has(kind) ? ['--max-semi-space-size=4'] : [];
  const env = {
    ...forwardedEnv(kind, config.passedOn),
    METRICS_LISTEN: metrics,
    SERVICE_SECRET: secrets.serviceSecret,
    ...own,
    ...overrides[kind],
    ...overrides[name],
  };
  return { program, nodeArgs, listen, metrics, env };
}

function serviceEnvironment(
  name: ServiceName,
  input: PlanInput,
  addresses: Record<ServiceName, string>,
  { panelUrl, sftp }: { readonly panelUrl: string; readonly sftp: string },
): Environment {
  const { dataDir, mongoUrl } = input;
  const database = { MONGO_URL: databaseUrl(mongoUrl, name) };
  switch (name) {
    case 'identity':
      return {
        ...database,
        ...tokenEnvironment(input),
        ADMIN_ADDRESS: addresses.admin,
        SERVERS_ADDRESS: addresses.servers,
        BILLING_ADDRESS: addresses.billing,
      };
    case 'servers':
      return {
        ...database,
        REDIS_URL: input.redisUrl ?? undefined,
        FILES_ADDRESS: addresses.files,
        IDENTITY_ADDRESS: addresses.identity,
        ADMIN_ADDRESS: addresses.admin,
        BILLING_ADDRESS: addresses.billing,
        RUN_DIR: dataDir.run,
        ...localNodes,
        PROCESS_NODES: input.engine.kind === 'process' ? 'allow' : 'deny',
        GAMES_ON_SHUTDOWN: 'stop',
      };
    case 'files':
      return {
        ...database,
        ...localNodes,
        DATA_ROOT: dataDir.node,
        SFTP_LISTEN: sftp,
        IDENTITY_ADDRESS: addresses.identity,
        SERVERS_ADDRESS: addresses.servers,
        ADMIN_ADDRESS: addresses.admin,
      };
    case 'billing':
      return {
        ...database,
        SERVERS_ADDRESS: addresses.servers,
        IDENTITY_ADDRESS: addresses.identity,
        ADMIN_ADDRESS: addresses.admin,
      };
    case 'admin':
      return { ...database, PANEL_URL: input.config.passedOn['PANEL_URL'] ?? panelUrl, MAIL_SHOW: 'parent' };
    default:
      return assertNever(name);
  }
}

function gatewayEnvironment(input: PlanInput, addresses: Record<ServiceName, string>): Environment {
  return {
    ...tokenEnvironment(input),
    ...localNodes,
    GATEWAY_REPLICAS: `${input.gateways}`,
    ...Object.fromEntries(serviceNames.map((name) => [`${name.toUpperCase()}_ADDRESS`, addresses[name]])),
  };
}

function tokenEnvironment({ config, secrets, redisUrl }: PlanInput): Environment {
  return { JWT_SECRET: config.jwtSecret ?? secrets.jwtSecret, REDIS_URL: redisUrl ?? undefined };
}
