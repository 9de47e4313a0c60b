import { AppError, isAppError } from '@panel/kit/errors';
import type { CallOptions, Client } from '@panel/rpc';
import type { FileEntry, FileServiceService } from '@panel/protos/files';
import { grantPermission, type RpcMethod } from '../../declaration/access.js';
import { chunksOf } from '../../http/stream-chunks.js';
import type { Services } from '../../services.js';

/** The files service of a server's node, and the grant to use it with. */
export interface GrantedFiles {
  readonly client: Client<typeof FileServiceService>;
  readonly grant: string;
  /** Where clients reach that service themselves; empty: not at all. */
  readonly publicUrl: string;
}

/** Ask the servers service for the right to call `method`; it answers with the node's files service, which sends the bytes. */
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

/** A records-only answer is quick, or does not come. */
const recordsTimeoutMs = 2_000;

/**
 * Ask what is only records: when the files service of the server's node does not answer, that of another node is asked,
 * which has the same database.
 */
export async function readRecords<T>(
  services: Services,
  serverId: string,
  method: RpcMethod,
  rpc: CallOptions,
  read: (filesAddress: string, grant: string, rpc: CallOptions) => Promise<T>,
): Promise<T> {
  const permission = grantPermission(method);
  const grantAccess = async (unreachableAddress: string) =>
    services.servers.grantFileAccess({ serverId, permission, unreachableAddress }, rpc);
  const { filesAddress, grant } = await grantAccess('');
  try {
    return await read(filesAddress, grant, { ...rpc, timeoutMs: recordsTimeoutMs });
  } catch (error) {
    if (!isAppError(error) || (error.kind !== 'unavailable' && error.kind !== 'deadline_exceeded')) throw error;
    const other = await grantAccess(filesAddress);
    if (other.filesAddress === filesAddress) throw error;
    return read(other.filesAddress, other.grant, rpc);
  }
}

/** A file being read: what it is, and its bytes as they come. */
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

/** Begin to read. Ending `chunks` early, or aborting the signal of `rpc`, ends the call. */
export async function readFile(files: GrantedFiles, section: Section, rpc: CallOptions): Promise<OpenFile> {
  const { path, offset, limit } = section;
  const request = { grant: files.grant, path, offsetBytes: offset, limitBytes: limit };
  // A download takes as long as its reader: no deadline, but it ends with the request.
  const parts = files.client.readFile(request, { ...rpc, timeoutMs: undefined })[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done || first.value.part?.$case !== 'entry') {
    throw new AppError('internal', 'INTERNAL', 'the files service did not begin with the entry');
  }
  return { entry: first.value.part.value, chunks: chunksOf(parts) };
}
