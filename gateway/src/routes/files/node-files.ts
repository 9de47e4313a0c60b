import { isUnavailable } from '@panel/kit/errors';
import type { CallOptions, Client } from '@panel/rpc';
import { type FileEntry, type FileOperation, FileServiceService } from '@panel/protos/files';
import { grantPermission, type RpcMethod } from '../../declaration/access.js';
import { openDownload } from '../../http/stream-chunks.js';
import type { Services } from '../../services.js';

export interface GrantedFiles {
  readonly client: Client<typeof FileServiceService>;
  readonly grant: string;
  /** For clients; empty: unreachable. */
  readonly publicUrl: string;
}

/** Grant and node's files service come from the servers service. */
export async function openFiles(
  services: Services,
  serverId: string,
  method: RpcMethod,
  rpc: CallOptions,
): Promise<GrantedFiles> {
  const permission = grantPermission(method);
  const { filesAddress, grant, publicUrl } = await services.servers.grantFileAccess({ serverId, permission }, rpc);
  return { client: services.files(filesAddress), grant, publicUrl };
}

/** Records are fast or unavailable. */
const recordsTimeoutMs = 2_000;

/**
 * Reads from the files service of the server's node, or of another node when it is unavailable: all share a database and
 * maybe a bucket.
 */
export async function readRecords<T>(
  services: Services,
  serverId: string,
  method: RpcMethod,
  rpc: CallOptions,
  read: (filesAddress: string, grant: string, rpc: CallOptions) => Promise<T>,
  timeoutMs = recordsTimeoutMs,
): Promise<T> {
  const permission = grantPermission(method);
  const grantAccess = async (unreachableAddress: string) =>
    services.servers.grantFileAccess({ serverId, permission, unreachableAddress }, rpc);
  const { filesAddress, grant } = await grantAccess('');
  try {
    return await read(filesAddress, grant, { ...rpc, timeoutMs });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const other = await grantAccess(filesAddress);
    if (other.filesAddress === filesAddress) throw error;
    return read(other.filesAddress, other.grant, rpc);
  }
}

export async function readFileOperation(
  services: Services,
  serverId: string,
  operationId: string,
  rpc: CallOptions,
): Promise<FileOperation | undefined> {
  const { operation } = await readRecords(
    services,
    serverId,
    FileServiceService.getFileOperation,
    rpc,
    async (files, grant, options) => services.files(files).getFileOperation({ grant, operationId }, options),
  );
  return operation;
}

export interface OpenFile {
  readonly entry: FileEntry;
  readonly chunks: AsyncGenerator<Buffer>;
}

interface Section {
  readonly path: string;
  readonly offset: number;
  /** 0: to the end. */
  readonly limit: number;
}

/** Ending `chunks` or aborting `rpc` ends the call. */
export async function readFile(files: GrantedFiles, section: Section, rpc: CallOptions): Promise<OpenFile> {
  const { path, offset, limit } = section;
  const request = { grant: files.grant, path, offsetBytes: offset, limitBytes: limit };
  // No deadline: the reader sets the pace; ends with the request.
  const messages = files.client.readFile(request, { ...rpc, timeoutMs: undefined });
  const { first: entry, chunks } = await openDownload(messages, 'entry');
  return { entry, chunks };
}
