import { assertNever } from '@panel/kit/errors';
import type { ServerPermission } from '@panel/protos/permissions';
import type { FilesContext } from '../context.js';
import { createFileGuard } from '../domain/file-guard.js';
import { displayPath } from '../domain/path.js';
import { grantFor, type SftpAccess } from '../domain/sftp-access.js';
import { mapFsErrors } from '../jail/errno.js';
import { createDirectory } from '../usecases/files/create-directory.js';
import { renameFiles } from '../usecases/files/rename-files.js';
import {
  readDirectory,
  readLink,
  readSpace,
  removeDirectory,
  removeFile,
  replaceEntry,
  setAttributes,
  statPath,
} from './entries.js';
import { openSftpFile } from './open-file.js';
import type { SftpActivity } from './activity.js';
import { lightCost } from './change-paces.js';
import type { HandleTable, OpenHandle } from './handle-table.js';
import type { SftpMetrics } from './metrics.js';
import type { SentAttributes } from './packet-reader.js';
import {
  dataHeadBytes,
  encodeAttributes,
  encodeEntries,
  encodeExtendedReply,
  encodeHandle,
  encodePath,
  encodeStatus,
  finishData,
} from './packet-writer.js';
import type { SftpRequest } from './parse-request.js';
import { parseSftpPath, resolveSftpPath } from './path.js';
import { maxDataBytes, maxPacketBytes, openFlags, statusCodes } from './protocol.js';
import { fail } from '../reasons.js';

export interface OperationScope {
  readonly context: FilesContext;
  /** Rechecked every few seconds. */
  readonly access: () => SftpAccess;
  readonly handles: HandleTable;
  readonly activity: SftpActivity;
  readonly metrics: SftpMetrics;
  readonly maxHandles: number;
  /** Resolves when a change of this cost may begin. */
  readonly pace: (cost: number) => Promise<void>;
  readonly signal: AbortSignal;
}

type Requested<K extends SftpRequest['kind']> = Extract<SftpRequest, { readonly kind: K }>;

export async function answerRequest(scope: OperationScope, request: SftpRequest): Promise<Buffer> {
  const { id } = request;
  switch (request.kind) {
    case 'open':
      return openFile(scope, request);
    case 'opendir':
      return openDirectory(scope, request);
    case 'readdir':
      return readEntries(scope, request);
    case 'read':
      return readBytes(scope, request);
    case 'write':
      return writeBytes(scope, request);
    case 'fstat':
      return encodeAttributes(id, await mapFsErrors(async () => statHandle(scope, request.handle)));
    case 'stat':
    case 'lstat': {
      const options = { followLast: request.kind === 'stat' };
      return encodeAttributes(id, await statPath(scope.context, targetOf(scope, request.path), options));
    }
    case 'realpath':
      return encodePath(id, `/${displayPath(parseSftpPath(request.path))}`);
    case 'readlink':
      return encodePath(id, await readLink(scope.context, targetOf(scope, request.path)));
    case 'statvfs':
      return describeSpace(scope, id);
    case 'limits':
      return encodeExtendedReply(id, [maxPacketBytes, maxDataBytes, maxDataBytes, scope.maxHandles]);
    case 'unsupported':
      return encodeStatus(id, statusCodes.unsupported, 'this is not supported');
    default:
      // its open has paced it
      if (request.kind !== 'close') await scope.pace(costOf(request));
      await change(scope, request);
      return encodeStatus(id, statusCodes.ok, 'done');
  }
}

type Change = Requested<
  'close' | 'fsync' | 'fsetstat' | 'setstat' | 'mkdir' | 'remove' | 'rmdir' | 'rename' | 'posix-rename'
>;

function costOf(request: Exclude<Change, { readonly kind: 'close' }>): number {
  const isLight = request.kind === 'setstat' || request.kind === 'fsetstat';
  return isLight && request.attributes.sizeBytes === undefined ? lightCost : 1;
}

/** Requests with a plain status response. */
async function change(scope: OperationScope, request: Change): Promise<void> {
  const { context, activity } = scope;
  switch (request.kind) {
    case 'close':
      return closeHandle(scope, scope.handles.take(request.handle));
    case 'fsync':
      return scope.handles.file(request.handle).writer?.sync();
    case 'fsetstat':
      return changeHandle(scope, request.handle, request.attributes);
    case 'setstat':
      await setAttributes(context, targetOf(scope, request.path), request.attributes);
      if (request.attributes.sizeBytes !== undefined) activity.record('write', resolveSftpPath(request.path));
      return;
    case 'mkdir': {
      const grant = grantFor(scope.access(), 'file.create');
      await createDirectory(context, { grant, signal: scope.signal, path: resolveSftpPath(request.path) });
      return activity.record('create-directory', resolveSftpPath(request.path));
    }
    case 'remove':
      await removeFile(context, targetOf(scope, request.path));
      return activity.record('delete', resolveSftpPath(request.path));
    case 'rmdir':
      await removeDirectory(context, targetOf(scope, request.path));
      return activity.record('delete', resolveSftpPath(request.path));
    case 'rename':
    case 'posix-rename':
      await renameEntry(scope, request);
      return activity.record('rename', `${resolveSftpPath(request.from)} → ${resolveSftpPath(request.to)}`);
    default:
      return assertNever(request);
  }
}

function targetOf({ access, signal }: OperationScope, path: string) {
  return { access: access(), signal, path: parseSftpPath(path) };
}

async function openFile(scope: OperationScope, { id, path, flags, attributes }: Requested<'open'>): Promise<Buffer> {
  const wanted = {
    isRead: (flags & openFlags.read) !== 0,
    isWrite: (flags & (openFlags.write | openFlags.append)) !== 0,
    isCreate: (flags & openFlags.create) !== 0,
    isTruncate: (flags & openFlags.truncate) !== 0,
    isExclusive: (flags & openFlags.exclusive) !== 0,
  };
  const isAppend = (flags & openFlags.append) !== 0;
  const isReadable = wanted.isRead || !wanted.isWrite;
  let cost = 0;
  const name = await scope.handles.open(async () => {
    const target = { ...targetOf(scope, path), flags: wanted, mode: attributes.mode ?? 0 };
    const opened = await openSftpFile(scope.context, target);
    if (opened.writer) cost = opened.isNew ? lightCost : 1;
    return { kind: 'file', ...opened, isReadable, isAppend };
  });
  // known only now: the next request waits for this answer
  if (cost > 0) await scope.pace(cost);
  return encodeHandle(id, name);
}

async function openDirectory(scope: OperationScope, { id, path }: Requested<'opendir'>): Promise<Buffer> {
  const name = await scope.handles.open(async () => {
    const batches = readDirectory(scope.context, { ...targetOf(scope, path), access: scope.access });
    // opens the directory, to fail early
    await batches.next();
    return { kind: 'directory', batches };
  });
  return encodeHandle(id, name);
}

async function readEntries(scope: OperationScope, { id, handle: name }: Requested<'readdir'>): Promise<Buffer> {
  const handle = scope.handles.get(name);
  if (handle.kind !== 'directory') throw fail('SFTP_HANDLE_UNKNOWN', 'this handle is of a file');
  for (;;) {
    const batch = await mapFsErrors(async () => handle.batches.next());
    if (batch.done) return encodeStatus(id, statusCodes.eof, 'no more entries');
    if (batch.value.length > 0) return encodeEntries(id, batch.value);
  }
}

async function readBytes(scope: OperationScope, request: Requested<'read'>): Promise<Buffer> {
  const { file, isReadable, path } = scope.handles.file(request.handle);
  if (!isReadable) throw fail('FILE_INACCESSIBLE', 'the file is open for writing only');
  requireAccess(scope, 'file.read-content', path);
  const length = Math.min(request.length, maxDataBytes);
  const buffer = Buffer.allocUnsafeSlow(dataHeadBytes + length);
  const { bytesRead } = await mapFsErrors(async () => file.read(buffer, dataHeadBytes, length, request.offset));
  if (bytesRead === 0 && length > 0) return encodeStatus(request.id, statusCodes.eof, 'end of file');
  scope.metrics.bytes.inc({ direction: 'read' }, bytesRead);
  return finishData(request.id, buffer, bytesRead);
}

async function writeBytes(scope: OperationScope, { id, handle, data, offset }: Requested<'write'>): Promise<Buffer> {
  const { isAppend, isNew, path, writer } = scope.handles.file(handle);
  if (!writer) throw fail('FILE_INACCESSIBLE', 'the file is open for reading only');
  requireWriteAccess(scope, isNew, path);
  await (isAppend ? writer.append(data, offset) : writer.write(data, offset));
  scope.metrics.bytes.inc({ direction: 'written' }, data.length);
  return encodeStatus(id, statusCodes.ok, 'done');
}

/** Rights may have changed since the open. `path`: real path below the root. */
function requireAccess({ access }: OperationScope, permission: ServerPermission, path: string): void {
  createFileGuard(grantFor(access(), permission)).check(path.slice(1), false);
}

/** The right to create covers writes until the close. */
function requireWriteAccess(scope: OperationScope, isNew: boolean, path: string): void {
  requireAccess(scope, isNew ? 'file.create' : 'file.update', path);
}

async function statHandle({ access, handles }: OperationScope, name: string) {
  const { file, path } = handles.file(name);
  createFileGuard(grantFor(access(), 'file.read')).requireVisible(path.slice(1), false);
  return file.stat({ bigint: true });
}

async function changeHandle(scope: OperationScope, name: string, attributes: SentAttributes): Promise<void> {
  const { isNew, path, writer } = scope.handles.file(name);
  if (!writer) throw fail('FILE_INACCESSIBLE', 'the file is open for reading only');
  requireWriteAccess(scope, isNew, path);
  const { mode, sizeBytes, times } = attributes;
  if (sizeBytes !== undefined) await writer.truncate(sizeBytes);
  if (mode !== undefined) await writer.setMode(mode & 0o777);
  if (times) await writer.setTimes(times.accessed, times.modified);
}

async function renameEntry(scope: OperationScope, { kind, from, to }: Requested<'rename' | 'posix-rename'>) {
  const target = targetOf(scope, from);
  if (kind === 'posix-rename') return replaceEntry(scope.context, target, parseSftpPath(to));
  const move = { from: target.path, to: parseSftpPath(to), field: 'to' };
  const grant = grantFor(target.access, 'file.update');
  return renameFiles(scope.context, { grant, signal: scope.signal, moves: [move] });
}

async function describeSpace({ access, context }: OperationScope, id: number): Promise<Buffer> {
  grantFor(access(), 'file.read');
  const { freeBytes, totalBytes } = await readSpace(context, access());
  const block = 4096;
  const [total, free] = [Math.floor(totalBytes / block), Math.floor(freeBytes / block)];
  const unlimitedFiles = 2 ** 32 - 1;
  // f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail, f_fsid, f_flag (2: no set-uid),
  // f_namemax
  return encodeExtendedReply(id, [
    block,
    block,
    total,
    free,
    free,
    unlimitedFiles,
    unlimitedFiles,
    unlimitedFiles,
    0,
    2,
    255,
  ]);
}

export async function closeHandle({ activity }: Pick<OperationScope, 'activity'>, handle: OpenHandle): Promise<void> {
  if (handle.kind === 'directory') {
    await handle.batches.return(undefined);
    return;
  }
  const { file, isNew, path, writer } = handle;
  if (!writer) return file.close();
  await writer.close();
  if (writer.isChanged) activity.record(isNew ? 'create' : 'write', path);
}
