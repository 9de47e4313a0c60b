import { posix } from 'node:path';
import { invalidFields } from '@panel/kit/errors';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { FileOperation } from '../../domain/file-operation.js';
import { operationWaitMs } from './file-operations.js';
import type { FileGuard } from '../../domain/file-guard.js';
import { displayPath, parsePath, type Segments } from '../../domain/path.js';
import { openUrl } from '../../pull/open-url.js';
import { fail } from '../../reasons.js';
import type { OperationProgress } from '../../operations/file-operations.js';
import { createFile } from './create-file.js';
import { withWorkspace } from '../../workspace/workspace.js';

interface PullInput {
  readonly grant: FileGrant;
  readonly idempotencyId: string | undefined;
  readonly url: URL;
  readonly directory: Segments;
  /** Empty: what the server calls it, else the last path part of the URL, else of the one it redirects to. */
  readonly name: string;
}

const maxDurationMs = 60 * 60_000;
/** Without a limit of the node. */
const defaultMaxBytes = 100 * 1024 ** 3;

/** Throws OPERATION_LIMIT, URL_REFUSED, DOWNLOAD_FAILED, UPLOAD_TOO_LARGE, FILE_EXISTS, DISK_LIMIT. */
export async function pullFile(context: FilesContext, input: PullInput): Promise<FileOperation> {
  const { grant, idempotencyId } = input;
  return context.operations.start(
    {
      serverId: grant.serverId,
      ownerId: grant.ownerId,
      kind: 'pull',
      idempotencyId,
      run: async (progress) => pull(context, input, progress),
    },
    operationWaitMs,
  );
}

async function pull(
  context: FilesContext,
  { url, directory, name, grant }: PullInput,
  progress: OperationProgress,
): Promise<void> {
  const maxBytes = grant.uploadLimitBytes || defaultMaxBytes;
  await withWorkspace(context, { grant, signal: progress.signal }, async (workspace) => {
    // before any request to another host
    requireMayCreate(workspace.guard, directory, name);
    const deadline = AbortSignal.timeout(maxDurationMs);
    const signal = AbortSignal.any([workspace.signal, deadline]);
    const download = await openUrl(url, { allowsPrivate: context.pullAllowsPrivate, signal });
    try {
      if (download.sizeBytes > maxBytes) throw tooLargeError(maxBytes);
      const target = [...directory, nameFor(name || download.fileName || nameIn(url) || nameIn(download.url))];
      progress.path = `/${displayPath(target)}`;
      progress.bytesTotal = download.sizeBytes;
      const chunks = () => counted(download.content, maxBytes, progress);
      await createFile(context, workspace, { target, field: 'name', chunks });
    } catch (error) {
      if (deadline.aborted) throw fail('DOWNLOAD_FAILED', 'the download takes too long', {}, { cause: error });
      throw error;
    } finally {
      download.close();
    }
  });
}

/** Without a name, checks what applies to all files. Throws FILE_DENIED, PATH_FORBIDDEN. */
function requireMayCreate(guard: FileGuard, directory: Segments, name: string): void {
  if (name !== '') guard.check(displayPath([...directory, ...parsePath(name, 'name')]), false);
  else if (!guard.differsBelow(displayPath(directory))) guard.check(displayPath(directory), true);
}

/** Throws INVALID_FIELDS. */
function nameFor(name: string): Buffer {
  const [only, ...more] = name === '' ? [] : parsePath(name, 'name');
  if (!only || more.length > 0) throw invalidFields({ name: ['must be the name of a file; the URL has none'] });
  return only;
}

function nameIn({ pathname }: URL): string {
  return decode(posix.basename(pathname));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

async function* counted(
  content: AsyncIterable<Buffer>,
  maxBytes: number,
  progress: OperationProgress,
): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    progress.bytesDone += chunk.length;
    if (progress.bytesDone > maxBytes) throw tooLargeError(maxBytes);
    yield chunk;
  }
}

function tooLargeError(limitBytes: number) {
  return fail('UPLOAD_TOO_LARGE', `the node takes files of at most ${limitBytes} bytes`, { limitBytes });
}
