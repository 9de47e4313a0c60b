import type { Client, Connection, ExportGrantSigner } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import { type ConfigFile, type ReceiveVolumeResponse, VolumeServiceService } from '@panel/protos/files';
import type { NodeConnection } from '../../domain/nodes/node.js';
import type { Volume } from '@panel/runtime';

const callMs = 5_000;
const deleteMs = 60_000;
const rewriteMs = 25_000;
const usageFreshMs = 20_000;
const usageCallMs = 800;
const discardMs = 30_000;
/** An upload that has just been taken whole is synced first. */
const freezeMs = 30_000;
/** Reading every byte of a large volume takes this long at most. */
const digestMs = 6 * 60 * 60_000;

interface Usage {
  bytes: number;
  at: number;
  pending: Promise<void> | null;
}

/** The files services of the nodes. */
export class NodeFiles {
  readonly #clients = new Map<string, Client<VolumeServiceService>>();
  readonly #usage = new Map<string, Usage>();

  constructor(
    private readonly connectTo: (address: string) => Connection,
    private readonly defaultAddress: string,
    private readonly exportGrants: ExportGrantSigner,
  ) {}

  addressOf(node: NodeConnection): string {
    return node.filesAddress === '' ? this.defaultAddress : node.filesAddress;
  }

  /** Make a server's directory unless it is there. Throws SERVICE_UNAVAILABLE and what the files service throws. */
  async ensureVolume(node: NodeConnection, serverId: string): Promise<Volume> {
    const { path, uid, gid } = await this.#client(node).createVolume({ serverId }, { timeoutMs: callMs });
    return { path, uid, gid };
  }

  async deleteVolume(node: NodeConnection, serverId: string): Promise<void> {
    await this.#client(node).deleteVolume({ serverId }, { timeoutMs: deleteMs });
    this.#usage.delete(serverId);
  }

  /** Whether two nodes have their files in one place, so that a server that moves leaves them where they are. */
  isShared(one: NodeConnection, other: NodeConnection): boolean {
    return this.addressOf(one) === this.addressOf(other);
  }

  /** Bytes on disk as the files service knows them now; 0 without a directory. Throws SERVICE_UNAVAILABLE. */
  async measure(node: NodeConnection, serverId: string): Promise<number> {
    try {
      return (await this.#client(node).getVolumeUsage({ serverId }, { timeoutMs: callMs })).usedBytes;
    } catch (error) {
      if (isAppError(error, 'VOLUME_NOT_FOUND')) return 0;
      throw error;
    }
  }

  /** Bytes the node has room for. Throws SERVICE_UNAVAILABLE. */
  async freeBytes(node: NodeConnection): Promise<number> {
    return (await this.#client(node).getDataRoot({}, { timeoutMs: callMs })).freeBytes;
  }

  /**
   * Have `target` get a server's files from `source`, and tell how far it is until it is done. The same copy goes on where
   * it was. Throws what ReceiveVolume throws.
   */
  receive(
    { target, source }: { readonly target: NodeConnection; readonly source: NodeConnection },
    serverId: string,
    copyId: string,
    signal: AbortSignal,
  ): AsyncIterable<ReceiveVolumeResponse> {
    const grant = this.exportGrants.sign({ serverId, operationId: copyId, volume: `servers/${serverId}` });
    const request = { serverId, operationId: copyId, sourceAddress: this.addressOf(source), grant };
    return this.#client(target).receiveVolume(request, { signal });
  }

  /**
   * Let nobody change a server's files through the files service, for 2 minutes from now. With `freezeId` only if that has
   * been so without a break. Returns its id. Throws SERVICE_UNAVAILABLE, VOLUME_THAWED.
   */
  async freeze(node: NodeConnection, serverId: string, operationId: string, freezeId = ''): Promise<string> {
    const request = { serverId, operationId, freezeId };
    return (await this.#client(node).freezeVolume(request, { timeoutMs: freezeMs })).freezeId;
  }

  /** Let the files be changed again. Idempotent. Throws SERVICE_UNAVAILABLE. */
  async thaw(node: NodeConnection, serverId: string, operationId: string): Promise<void> {
    await this.#client(node).thawVolume({ serverId, operationId }, { timeoutMs: callMs });
  }

  /** Digest of all files of a server as they are now. Throws what VerifyVolume throws. */
  async digest(node: NodeConnection, serverId: string, signal: AbortSignal): Promise<string> {
    return (await this.#client(node).verifyVolume({ serverId }, { signal, timeoutMs: digestMs })).treeSha256;
  }

  /** Remove what a copy has brought to a node, and let it bring nothing more. Idempotent. */
  async discard(node: NodeConnection, serverId: string, copyId: string): Promise<void> {
    await this.#client(node).discardVolumeTransfer({ serverId, operationId: copyId }, { timeoutMs: discardMs });
  }

  /** Write configuration files; what could not be done, one line each. Throws SERVICE_UNAVAILABLE. */
  async rewriteConfig(node: NodeConnection, serverId: string, files: ConfigFile[]): Promise<string[]> {
    const { results } = await this.#client(node).rewriteConfigFiles({ serverId, files }, { timeoutMs: rewriteMs });
    return results.filter(({ message }) => message !== '').map(({ path, message }) => `${path}: ${message}`);
  }

  /** Bytes on disk as far as they were asked for lately; null when `usage` would ask again. */
  freshUsage(serverId: string): number | null {
    const known = this.#usage.get(serverId);
    return known && performance.now() - known.at < usageFreshMs ? known.bytes : null;
  }

  /** Bytes on disk; the last known number when the files service does not answer within 0.8 s, 0 when there is none. */
  async usage(node: NodeConnection, serverId: string): Promise<number> {
    const known = this.#usage.get(serverId) ?? { bytes: 0, at: -Infinity, pending: null };
    this.#usage.set(serverId, known);
    if (performance.now() - known.at < usageFreshMs) return known.bytes;
    known.pending ??= this.#refresh(node, serverId, known);
    await known.pending;
    return known.bytes;
  }

  /** The last known number, without asking; a question is sent on its way when it is old. */
  usageSoon(node: NodeConnection, serverId: string): number {
    void this.usage(node, serverId);
    return this.#usage.get(serverId)?.bytes ?? 0;
  }

  async #refresh(node: NodeConnection, serverId: string, usage: Usage): Promise<void> {
    try {
      const answer = await this.#client(node).getVolumeUsage({ serverId }, { timeoutMs: usageCallMs });
      usage.bytes = answer.usedBytes;
    } catch {
      // A number that is a little old is better than none: the next question comes in 20 s.
    } finally {
      usage.at = performance.now();
      usage.pending = null;
    }
  }

  #client(node: NodeConnection): Client<VolumeServiceService> {
    const address = this.addressOf(node);
    let client = this.#clients.get(address);
    if (!client) {
      client = this.connectTo(address).client(VolumeServiceService);
      this.#clients.set(address, client);
    }
    return client;
  }
}
