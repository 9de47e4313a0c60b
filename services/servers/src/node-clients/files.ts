import type { Client, Connection, ExportGrantSigner, GrantSigner } from '@panel/rpc';
import { isAppError, isUnavailable } from '@panel/kit/errors';
import { addressForbidden, type AddressGuard } from '@panel/kit/net';
import {
  type Backup,
  BackupServiceService,
  FileServiceService,
  type ConfigFile,
  type GetDataRootResponse,
  type RetainedBackup,
  type ReceiveBackupsResponse,
  type ReceiveVolumeResponse,
  VolumeServiceService,
} from '@panel/protos/files';
import { isTarget, splitTarget } from '../domain/nodes/check-node.js';
import type { NodeConnection } from '../domain/nodes/node.js';
import type { GameServer, ServerLimits } from '../domain/servers/server.js';
import type { Volume } from '@panel/runtime';
import { fail } from '../reasons.js';
import { assertBound, type DataRoots } from './data-roots.js';

const callMs = 5_000;
const freshMs = 15_000;
const addressFreshMs = 5_000;
const deleteMs = 60_000;
const limitsMs = 30_000;
const bytesPerMb = 1024 * 1024;
const rewriteMs = 25_000;
const measureMs = 10_000;
const usageFreshMs = 20_000;
const usageCallMs = 800;
/** With `usageCallMs` below the 1.5 s of a resource request. */
const recordedUsageMs = 400;
const recentUsageMs = 60_000;
const discardMs = 30_000;
/** May first sync an upload. */
const freezeMs = 30_000;
const digestMs = 6 * 60 * 60_000;

interface NodeClients {
  readonly volumes: Client<VolumeServiceService>;
  readonly backups: Client<BackupServiceService>;
  readonly content: Client<FileServiceService>;
}

/** Records alone need no data root. */
export type FilesNode = Pick<NodeConnection, 'filesAddress'> & Partial<Pick<NodeConnection, 'dataRootId'>>;

interface BackupRoute {
  readonly target: NodeConnection;
  readonly source: NodeConnection;
  readonly backupId?: string;
}

interface KnownBackup {
  readonly backup: Backup;
  /** Of the service that was asked. */
  readonly isWithinReach: boolean;
  /** Data roots with its bytes; empty: in a bucket or repository. */
  readonly dataRootIds: readonly string[];
}

interface LimitedServer {
  readonly id: string;
  readonly limits: Pick<ServerLimits, 'diskMb'>;
}

/** Owners take turns at measurements. */
type OwnedServer = Pick<GameServer, 'id' | 'userId'>;

interface Usage {
  bytes: number;
  /** Null: unknown. */
  source: 'measured' | 'recorded' | null;
  at: number;
  pending: Promise<void> | null;
}

export class NodeFiles {
  readonly #clients = new Map<string, NodeClients>();
  readonly #usage = new Map<string, Usage>();
  readonly #checkedAt = new Map<string, number>();

  constructor(
    private readonly connectTo: (address: string, options: { readonly guard?: AddressGuard }) => Connection,
    private readonly defaultAddress: string,
    private readonly exportGrants: ExportGrantSigner,
    private readonly guard: AddressGuard,
    private readonly dataRoots: DataRoots,
    /** It has the same records. */
    private readonly otherAddress: (unreachableAddress: string) => Promise<string | null>,
  ) {}

  addressOf(node: Pick<NodeConnection, 'filesAddress'>): string {
    return node.filesAddress === '' ? this.defaultAddress : node.filesAddress;
  }

  async isAllowed(node: Pick<NodeConnection, 'filesAddress'>): Promise<boolean> {
    return this.checkedAddressOf(node).then(
      () => true,
      () => false,
    );
  }

  /** For another process. Throws FILES_ADDRESS_FORBIDDEN. */
  async checkedAddressOf(node: Pick<NodeConnection, 'filesAddress'>): Promise<string> {
    const address = this.addressOf(node);
    await this.#assertAddress(address);
    return address;
  }

  /** For an installation. Sets the disk limit too. Throws SERVICE_UNAVAILABLE and the service's errors. */
  async ensureVolume(node: NodeConnection, server: LimitedServer): Promise<Volume> {
    return (await this.#changing(node)).createVolume(volumeRequest(server), { timeoutMs: callMs });
  }

  /** Likewise for a start, which makes none. Throws VOLUME_MISSING. */
  async openVolume(node: NodeConnection, server: LimitedServer): Promise<Volume> {
    try {
      return await (await this.#client(node)).openVolume(volumeRequest(server), { timeoutMs: callMs });
    } catch (error) {
      if (!isAppError(error, 'VOLUME_NOT_FOUND')) throw error;
      const message = 'the files of this server are not on its node: nothing is started in their place';
      throw fail('VOLUME_MISSING', message, { server_id: server.id }, { cause: error });
    }
  }

  /** Asks the service now. Throws SERVICE_UNAVAILABLE, DATA_ROOT_GONE. */
  async dataRoot(node: Pick<NodeConnection, 'filesAddress'>): Promise<GetDataRootResponse> {
    return this.dataRoots.askAnew(this.addressOf(node), (await this.#clientsOf(node)).volumes);
  }

  /** Throws NODE_UNREACHABLE for another disk, and for changes that the database does not know. */
  async assertUsable(dataRootId: string, found: GetDataRootResponse): Promise<void> {
    await this.dataRoots.assertUsable(dataRootId, found);
  }

  /** At most 5 s ago. Throws NODE_UNREACHABLE as `assertUsable`, SERVICE_UNAVAILABLE, DATA_ROOT_GONE. */
  async requireUsable(node: FilesNode): Promise<void> {
    await this.#boundClients(node);
  }

  async isDatabaseOlder(node: NodeConnection): Promise<boolean> {
    return this.dataRoots.isDatabaseOlder(await this.dataRoot(node));
  }

  /** The database counts from the files' changes on. Throws NODE_UNREACHABLE, SERVICE_UNAVAILABLE, DATA_ROOT_GONE. */
  async acceptDataRoot(node: NodeConnection): Promise<void> {
    const found = await this.dataRoot(node);
    if (node.dataRootId) assertBound(node.dataRootId, found);
    await this.dataRoots.accept(found);
  }

  /** At the last answer; null: it does not say. */
  clockOffsetMs(node: Pick<NodeConnection, 'filesAddress'>): number | null {
    return this.dataRoots.clockOffsetMs(this.addressOf(node));
  }

  /** Sets kernel quotas, where supported. Throws SERVICE_UNAVAILABLE. */
  async setDiskLimits(
    node: NodeConnection,
    servers: readonly { readonly id: string; readonly diskMb: number }[],
  ): Promise<void> {
    const limits = servers.map(({ id, diskMb }) => ({ serverId: id, diskLimitBytes: diskMb * bytesPerMb }));
    await (await this.#client(node)).setVolumeLimits({ limits }, { timeoutMs: limitsMs });
  }

  async deleteVolume(node: NodeConnection, serverId: string): Promise<void> {
    await (await this.#changing(node)).deleteVolume({ serverId }, { timeoutMs: deleteMs });
    this.#usage.delete(serverId);
  }

  /** Server ids; also for an older database. Throws SERVICE_UNAVAILABLE. */
  async *volumes(node: NodeConnection): AsyncGenerator<readonly string[]> {
    const client = await this.#readingClient(node);
    for (let afterServerId = ''; ;) {
      const { serverIds } = await client.listVolumes({ afterServerId }, { timeoutMs: callMs });
      if (serverIds.length === 0) return;
      yield serverIds;
      afterServerId = serverIds.at(-1) ?? '';
    }
  }

  /** Bytes on disk by server id, as far as measured within 6 s. Also for an older database. Throws SERVICE_UNAVAILABLE. */
  async sizes(node: NodeConnection, serverIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const client = await this.#readingClient(node);
    const { sizes } = await client.measureVolumes({ serverIds: [...serverIds] }, { timeoutMs: measureMs });
    return new Map(sizes.map(({ serverId, sizeBytes }) => [serverId, sizeBytes]));
  }

  /** Also for an older database. Throws SERVICE_UNAVAILABLE. */
  async hasVolume(node: NodeConnection, serverId: string): Promise<boolean> {
    const client = await this.#readingClient(node);
    // Any beginning of an id is before it.
    const { serverIds } = await client.listVolumes({ afterServerId: serverId.slice(0, -1) }, { timeoutMs: callMs });
    return serverIds.includes(serverId);
  }

  /** One files service: a move leaves the files. */
  isShared(one: NodeConnection, other: NodeConnection): boolean {
    return this.addressOf(one) === this.addressOf(other);
  }

  /** Known bytes; 0 without a directory. Throws SERVICE_UNAVAILABLE. */
  async measure(node: NodeConnection, server: OwnedServer): Promise<number> {
    try {
      return (await (await this.#client(node)).getVolumeUsage(ownedVolume(server), { timeoutMs: callMs })).usedBytes;
    } catch (error) {
      if (isAppError(error, 'VOLUME_NOT_FOUND')) return 0;
      throw error;
    }
  }

  /** For volumes under installation or in use. Throws SERVICE_UNAVAILABLE. */
  async measureFresh(node: NodeConnection, server: OwnedServer): Promise<number> {
    const request = { ...ownedVolume(server), fresh: true };
    return (await (await this.#client(node)).getVolumeUsage(request, { timeoutMs: freshMs })).usedBytes;
  }

  /** Throws SERVICE_UNAVAILABLE. */
  async freeBytes(node: NodeConnection): Promise<number> {
    return (await (await this.#client(node)).getDataRoot({}, { timeoutMs: callMs })).freeBytes;
  }

  /** Yields progress; the same copy id resumes. Throws the errors of ReceiveVolume. */
  async *receive(
    { target, source }: { readonly target: NodeConnection; readonly source: NodeConnection },
    serverId: string,
    copyId: string,
    signal: AbortSignal,
  ): AsyncGenerator<ReceiveVolumeResponse> {
    const grant = this.exportGrants.sign({ serverId, operationId: copyId, volume: `servers/${serverId}` });
    const request = { serverId, operationId: copyId, sourceAddress: await this.checkedAddressOf(source), grant };
    yield* (await this.#changing(target)).receiveVolume(request, { signal });
  }

  /** From `source`'s disk: all, or one. It may end early: see `received`. Throws the errors of ReceiveBackups. */
  async *receiveBackups(
    { target, source, backupId = '' }: BackupRoute,
    serverId: string,
    operationId: string,
    signal: AbortSignal,
  ): AsyncGenerator<ReceiveBackupsResponse> {
    const grant = this.exportGrants.sign({ serverId, operationId, volume: `servers/${serverId}` });
    const request = { serverId, sourceAddress: await this.checkedAddressOf(source), grant, backupId };
    yield* (await this.backups(target)).receiveBackups(request, { signal });
  }

  /**
   * Blocks changes for 2 minutes; with `freezeId` only if blocked since then. Returns the id. Throws
   * SERVICE_UNAVAILABLE, VOLUME_THAWED.
   */
  async freeze(node: NodeConnection, serverId: string, operationId: string, freezeId = ''): Promise<string> {
    const request = { serverId, operationId, freezeId };
    return (await (await this.#client(node)).freezeVolume(request, { timeoutMs: freezeMs })).freezeId;
  }

  /** Idempotent. Throws SERVICE_UNAVAILABLE. */
  async thaw(node: NodeConnection, serverId: string, operationId: string): Promise<void> {
    await (await this.#client(node)).thawVolume({ serverId, operationId }, { timeoutMs: callMs });
  }

  /** Throws the errors of VerifyVolume. */
  async digest(node: NodeConnection, serverId: string, signal: AbortSignal): Promise<string> {
    return (await (await this.#client(node)).verifyVolume({ serverId }, { signal, timeoutMs: digestMs })).treeSha256;
  }

  /** Also blocks its continuation. Idempotent. */
  async discard(node: NodeConnection, serverId: string, copyId: string): Promise<void> {
    await (await this.#client(node)).discardVolumeTransfer({ serverId, operationId: copyId }, { timeoutMs: discardMs });
  }

  /** One line per failure. Throws SERVICE_UNAVAILABLE. */
  async rewriteConfig(node: NodeConnection, serverId: string, files: ConfigFile[]): Promise<string[]> {
    const { results } = await (
      await this.#client(node)
    ).rewriteConfigFiles({ serverId, files }, { timeoutMs: rewriteMs });
    return results.filter(({ message }) => message !== '').map(({ path, message }) => `${path}: ${message}`);
  }

  /** Null: stale. */
  freshUsage(serverId: string): number | null {
    const known = this.#usage.get(serverId);
    return known && performance.now() - known.at < usageFreshMs ? known.bytes : null;
  }

  /** After 0.8 s the last known bytes, else the recorded ones, else 0. */
  async usage(node: NodeConnection, server: OwnedServer): Promise<number> {
    return (await this.#askedUsage(node, server)).bytes;
  }

  /** Recorded bytes count as 0. */
  async measuredUsage(node: NodeConnection, server: OwnedServer): Promise<number> {
    const { source, bytes } = await this.#askedUsage(node, server);
    return source === 'measured' ? bytes : 0;
  }

  async #askedUsage(node: NodeConnection, server: OwnedServer): Promise<Usage> {
    const known = this.#usage.get(server.id) ?? { bytes: 0, source: null, at: -Infinity, pending: null };
    this.#usage.set(server.id, known);
    if (performance.now() - known.at < usageFreshMs) return known;
    known.pending ??= this.#refresh(node, server, known);
    await known.pending;
    return known;
  }

  /** The last known bytes; refreshed in the background. */
  usageSoon(node: NodeConnection, server: OwnedServer): number {
    void this.usage(node, server);
    return this.#usage.get(server.id)?.bytes ?? 0;
  }

  /** At most about a minute old; null: older. */
  recentUsage(node: NodeConnection, server: OwnedServer): number | null {
    const known = this.#usage.get(server.id);
    if (!known || performance.now() - known.at > recentUsageMs) void this.usage(node, server);
    return known && known.source !== null ? known.bytes : null;
  }

  async #refresh(node: NodeConnection, server: OwnedServer, usage: Usage): Promise<void> {
    try {
      await this.#ask(node, server, usage, usageCallMs);
    } catch (error) {
      // A stale number is better than none until the next request in 20 s.
      if (usage.source === null && isUnavailable(error)) await this.#recall(node, server, usage);
    } finally {
      usage.at = performance.now();
      usage.pending = null;
    }
  }

  async #ask(
    files: Pick<NodeConnection, 'filesAddress'>,
    server: OwnedServer,
    usage: Usage,
    timeoutMs: number,
  ): Promise<void> {
    const request = { ...ownedVolume(server), recorded: true };
    const answer = await (await this.#clientsOf(files)).volumes.getVolumeUsage(request, { timeoutMs });
    usage.bytes = answer.usedBytes;
    usage.source = answer.recorded ? 'recorded' : 'measured';
  }

  async #recall(node: NodeConnection, server: OwnedServer, usage: Usage): Promise<void> {
    try {
      const other = await this.otherAddress(this.addressOf(node));
      if (other !== null) await this.#ask({ filesAddress: other }, server, usage, recordedUsageMs);
    } catch {
      // unknown
    }
  }

  /** Throws FILES_ADDRESS_FORBIDDEN, NODE_UNREACHABLE. */
  async backups(node: FilesNode): Promise<Client<BackupServiceService>> {
    return (await this.#boundClients(node)).backups;
  }

  /** For callers with a grant. Throws FILES_ADDRESS_FORBIDDEN, NODE_UNREACHABLE. */
  async content(node: NodeConnection): Promise<Client<FileServiceService>> {
    return (await this.#boundClients(node)).content;
  }

  /** Throws BACKUP_NOT_FOUND, SERVICE_UNAVAILABLE. */
  async getBackup(
    node: FilesNode,
    grants: Pick<GrantSigner, 'sign'>,
    serverId: string,
    backupId: string,
  ): Promise<KnownBackup> {
    const access = { serverId, permission: 'backup.read', volume: `servers/${serverId}`, diskLimitBytes: 0 };
    const grant = grants.sign({ ...access, denylist: [] });
    const client = await this.backups(node);
    const { backup, withinReach, dataRootIds } = await client.getBackup({ grant, backupId }, { timeoutMs: callMs });
    if (!backup) throw new TypeError('the files service answered without a backup');
    return { backup, isWithinReach: withinReach, dataRootIds };
  }

  /** Or marks completed ones retained. */
  async deleteBackups(
    node: FilesNode,
    { id: serverId, name: serverName, nodeId }: Pick<GameServer, 'id' | 'name' | 'nodeId'>,
    keepsCompleted: boolean,
  ): Promise<void> {
    const keep = keepsCompleted ? { nodeId, serverName } : undefined;
    await (await this.backups(node)).deleteServerBackups({ serverId, keep }, { timeoutMs: deleteMs });
  }

  /** Of deleted servers on all nodes; empty `backupId`: all. */
  async retainedBackups(node: FilesNode, backupId: string): Promise<RetainedBackup[]> {
    return (await (await this.backups(node)).listRetainedBackups({ backupId }, { timeoutMs: callMs })).backups;
  }

  async #client(node: FilesNode): Promise<Client<VolumeServiceService>> {
    return (await this.#boundClients(node)).volumes;
  }

  /** Only while the service has the data root of the node's record, with no change that the database does not know. */
  async #boundClients(node: FilesNode): Promise<NodeClients> {
    const clients = await this.#clientsOf(node);
    if (node.dataRootId) await this.dataRoots.assertUsable(node.dataRootId, await this.#askDataRoot(node, clients));
    return clients;
  }

  /** For calls that change nothing, also with an older database. */
  async #readingClient(node: NodeConnection): Promise<Client<VolumeServiceService>> {
    const clients = await this.#clientsOf(node);
    if (node.dataRootId) assertBound(node.dataRootId, await this.#askDataRoot(node, clients));
    return clients.volumes;
  }

  /** Counts a change to which servers have files on the node, in the database first. */
  async #changing(node: NodeConnection): Promise<Client<VolumeServiceService>> {
    const client = await this.#client(node);
    const { dataRootId } = node;
    if (!dataRootId) return client;
    const epoch = await this.dataRoots.nextEpoch(dataRootId);
    await client.advanceEpoch({ epoch, dataRootId }, { timeoutMs: callMs });
    return client;
  }

  async #askDataRoot(node: FilesNode, { volumes }: NodeClients): Promise<GetDataRootResponse> {
    return this.dataRoots.ask(this.addressOf(node), volumes);
  }

  async #clientsOf(node: Pick<NodeConnection, 'filesAddress'>): Promise<NodeClients> {
    const address = this.addressOf(node);
    await this.#assertAddress(address);
    let clients = this.#clients.get(address);
    if (!clients) {
      const connection = this.connectTo(address, address === this.defaultAddress ? {} : { guard: this.guard });
      clients = {
        volumes: connection.client(VolumeServiceService),
        backups: connection.client(BackupServiceService),
        content: connection.client(FileServiceService),
      };
      this.#clients.set(address, clients);
    }
    return clients;
  }

  /** The configured address is trusted. The check gives the reason; the connection checks again. */
  async #assertAddress(address: string): Promise<void> {
    if (address === this.defaultAddress) return;
    const now = performance.now();
    if (now - (this.#checkedAt.get(address) ?? -Infinity) < addressFreshMs) return;
    try {
      if (!isTarget(address)) throw addressForbidden(address);
      await this.guard.assertHost(splitTarget(address).host);
    } catch (error) {
      this.#checkedAt.delete(address);
      throw fail('FILES_ADDRESS_FORBIDDEN', 'the address of the files service is not allowed', {}, { cause: error });
    }
    this.#checkedAt.set(address, now);
  }
}

function ownedVolume({ id: serverId, userId: ownerId }: OwnedServer) {
  return { serverId, ownerId };
}

function volumeRequest({ id: serverId, limits }: LimitedServer) {
  return { serverId, diskLimitBytes: limits.diskMb * bytesPerMb };
}
