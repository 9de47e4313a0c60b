import type { WrittenFormat } from '../../domain/archive-format.js';
import { type ArchiveItem, writeArchive } from '../../archives/write-archive.js';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { FileOperation } from '../../domain/file-operation.js';
import { operationWaitMs } from './file-operations.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { createFile } from './create-file.js';
import { withWorkspace } from '../../workspace/workspace.js';
import type { OperationProgress } from '../../operations/file-operations.js';
import { archiveItems } from '../../archives/archive-items.js';

interface CompressInput {
  readonly grant: FileGrant;
  readonly idempotencyId: string | undefined;
  readonly root: Segments;
  readonly paths: readonly Segments[];
  readonly format: WrittenFormat;
  readonly target: Segments;
}

export function newArchiveName({ clock }: Pick<FilesContext, 'clock'>): string {
  return `archive-${clock().toISOString().replace(/[:.]/g, '')}.tar.gz`;
}

/**
 * Atomic, without overwriting (FILE_EXISTS); skips and counts links, devices and protected files. Throws
 * OPERATION_LIMIT, DISK_LIMIT, NODE_DISK_LOW, FILE_NOT_FOUND.
 */
export async function compressFiles(context: FilesContext, input: CompressInput): Promise<FileOperation> {
  const { grant, idempotencyId } = input;
  return context.operations.start(
    {
      serverId: grant.serverId,
      ownerId: grant.ownerId,
      kind: 'compress',
      idempotencyId,
      run: async (progress) => compress(context, input, progress),
    },
    operationWaitMs,
  );
}

async function compress(
  context: FilesContext,
  { root, paths, format, target, grant }: CompressInput,
  progress: OperationProgress,
): Promise<void> {
  const { tempNames } = context;
  progress.path = `/${displayPath(target)}`;
  await withWorkspace(context, { grant, signal: progress.signal }, async (workspace) => {
    for await (const { sizeBytes } of archiveItems(workspace, { root, paths, tempNames, onSkip: () => undefined })) {
      workspace.signal.throwIfAborted();
      progress.bytesTotal += sizeBytes;
    }
    const onSkip = () => void (progress.entriesSkipped += 1);
    const chunks = () => {
      const items = counted(archiveItems(workspace, { root, paths, tempNames, onSkip }), progress);
      return writeArchive(format, items, workspace.signal);
    };
    await createFile(context, workspace, { target, field: 'name', chunks });
  });
}

async function* counted(items: AsyncIterable<ArchiveItem>, progress: OperationProgress): AsyncGenerator<ArchiveItem> {
  for await (const item of items) {
    yield { ...item, content: () => countedBytes(item.content(), progress) };
    progress.entriesDone += 1;
  }
}

async function* countedBytes(content: AsyncIterable<Buffer>, progress: OperationProgress): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    yield chunk;
    progress.bytesDone += chunk.length;
  }
}
