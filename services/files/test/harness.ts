import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import {
  type Actor,
  type Client,
  connect,
  createActorSigner,
  createExportGrantSigner,
  createGrantSigner,
  type FileGrant,
  serviceActor,
} from '@panel/rpc';
import type { MonotonicClock } from '@panel/kit/async';
import type { Logger } from '@panel/kit/process';
import {
  BackupServiceService,
  FileServiceService,
  type ReadFileRequest,
  VolumeServiceService,
  type WriteFileRequest,
  type WriteFileResponse,
  type WriteFileStart,
} from '@panel/protos/files';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { dropTestDatabase, testMongoUrl } from '@panel/testing';
import { readConfig } from '../src/config.js';
import { startFiles } from '../src/service.js';
import type { ChangeLimits } from '../src/sftp/change-paces.js';
import path from 'node:path';

export const serviceSecret = 'test-only-secret-of-at-least-32-characters';

export interface RunningFiles {
  readonly files: Client<FileServiceService>;
  readonly volumes: Client<VolumeServiceService>;
  readonly backups: Client<BackupServiceService>;
  readonly dataRoot: string;
  readonly mongoUrl: string;
  readonly metrics: string;
  readonly address: string;
  /** Empty without SFTP. */
  readonly sftp: string;
  /** For direct transfers; empty without them. */
  readonly direct: string;
  tokenOf(actor: Actor): string;
  /** Signed, for a server of this node. */
  grant(serverId: string, permission: string, more?: Partial<FileGrant>): string;
  /** Signed, for one transfer. */
  exportGrant(serverId: string, operationId: string): string;
  /** With the same data root. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** With its own database and data root, which `prepare` can fill. */
export async function startTestFiles(
  options: {
    readonly parent?: string;
    readonly prepare?: (dataRoot: string) => Promise<void>;
    readonly env?: Record<string, string>;
    /** Another node's database, removed by its creator. */
    readonly mongoUrl?: string;
    readonly clock?: () => Date;
    readonly monotonicClock?: MonotonicClock;
    readonly log?: Logger;
    readonly sftpChanges?: ChangeLimits;
  } = {},
): Promise<RunningFiles> {
  const dataRoot = await mkdtemp(path.join(options.parent ?? tmpdir(), 'panel-files-'));
  await options.prepare?.(dataRoot);
  const mongoUrl = options.mongoUrl ?? testMongoUrl('files');
  const signer = createActorSigner(serviceSecret);
  const boot = async () => {
    const { clock = () => new Date(), env, log, monotonicClock, sftpChanges } = options;
    const running = await startFiles(readConfig({ ...environmentOf(dataRoot, mongoUrl), ...env }), {
      clock,
      ...(log && { log }),
      ...(monotonicClock && { monotonicClock }),
      ...(sftpChanges && { sftpChanges }),
    });
    return { running, ...clientsOf(running.addresses.listen) };
  };
  let now = await boot();
  const halt = async () => {
    now.close();
    await now.running.stop();
  };
  return {
    get files() {
      return now.files;
    },
    get volumes() {
      return now.volumes;
    },
    get backups() {
      return now.backups;
    },
    get metrics() {
      return now.running.addresses.metrics;
    },
    get address() {
      return now.running.addresses.listen;
    },
    get direct() {
      return now.running.addresses['direct'] ?? '';
    },
    get sftp() {
      return now.running.addresses['sftp'] ?? '';
    },
    dataRoot,
    mongoUrl,
    tokenOf: (actor) => signer.sign(actor),
    grant: fileGrant,
    exportGrant,
    restart: async () => {
      await halt();
      now = await boot();
    },
    stop: async () => {
      await halt();
      if (options.mongoUrl === undefined) await dropTestDatabase(mongoUrl);
      await rm(dataRoot, { recursive: true, force: true });
    },
  };
}

export function environmentOf(dataRoot: string, mongoUrl: string): Record<string, string> {
  return {
    SERVICE_SECRET: serviceSecret,
    MONGO_URL: mongoUrl,
    DATA_ROOT: dataRoot,
    LOG_LEVEL: 'silent',
    MIN_FREE_DISK_MB: '0',
    NODE_LOCAL_ADDRESSES: 'loopback',
  };
}

export function clientsOf(address: string) {
  const signer = createActorSigner(serviceSecret);
  const connection = connect({ address, signer, actor: serviceActor('test'), timeoutMs: 30_000 });
  return {
    files: connection.client(FileServiceService),
    volumes: connection.client(VolumeServiceService),
    backups: connection.client(BackupServiceService),
    close: () => connection.close(),
  };
}

export function fileGrant(serverId: string, permission: string, more: Partial<FileGrant> = {}): string {
  const volume = `servers/${serverId}`;
  return createGrantSigner(serviceSecret).sign({
    serverId,
    permission,
    volume,
    diskLimitBytes: 0,
    denylist: [],
    ...more,
  });
}

export function exportGrant(serverId: string, operationId: string): string {
  const volume = `servers/${serverId}`;
  return createExportGrantSigner(serviceSecret).sign({ serverId, operationId, volume });
}

export async function newVolume(running: RunningFiles): Promise<{ serverId: string; directory: string }> {
  const serverId = randomUUID();
  const { path: directory } = await running.volumes.createVolume({ serverId });
  return { serverId, directory };
}

export async function readAll(
  running: RunningFiles,
  request: Pick<ReadFileRequest, 'grant' | 'path'> & Partial<ReadFileRequest>,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const { part } of running.files.readFile({ offsetBytes: 0, limitBytes: 0, ...request })) {
    if (part?.$case === 'chunk') chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

export async function writeAll(
  running: RunningFiles,
  start: Pick<WriteFileStart, 'grant' | 'path'> & Partial<WriteFileStart>,
  content: string | Buffer,
  chunkBytes = 256 * 1024,
): Promise<WriteFileResponse> {
  async function* parts(): AsyncGenerator<WriteFileRequest> {
    yield { part: { $case: 'start', value: { sizeBytes: 0, ifMatchSha256: '', ...start } } };
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield { part: { $case: 'chunk', value: bytes.subarray(at, at + chunkBytes) } };
    }
    yield { part: { $case: 'finish', value: { sizeBytes: bytes.length } } };
  }
  return running.files.writeFile(parts(), { timeoutMs: 60_000 });
}

export { reasonOf };

/** By this process, which has both ends. */
export async function bytesRead(): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
}

/** Back-pressure stopped the sender. */
export async function readingToPause(): Promise<void> {
  let [last, quietProbes] = [0, 0];
  await waitUntil('reading to pause', async () => {
    const now = await bytesRead();
    // the probe itself reads a little
    quietProbes = now - last < 16 * 1024 ? quietProbes + 1 : 0;
    last = now;
    return quietProbes >= 10;
  });
}
