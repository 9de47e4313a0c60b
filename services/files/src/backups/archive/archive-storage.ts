import { createHash } from 'node:crypto';
import type { BackupStorageKind } from '../../domain/backup.js';
import { fail } from '../../reasons.js';
import type { BackupRef, BackupStorage, ReportShare } from '../storage/backup-storage.js';
import { hasProgram } from '../storage/backup-program.js';
import { childrenOf } from '../storage/children-of.js';
import type { BlobStore } from '../storage/blob-store.js';
import { archiveVolume, extractArchive, listArchive } from '../storage/tar-archive.js';

const extension = '.tar.gz';
/** Tar overhead of a file with a long name. */
const maxHeadBytes = 4_096;
const keyPattern = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\.tar\.gz$/;

export function blobKey({ serverId, id }: Pick<BackupRef, 'serverId' | 'id'>): string {
  return `${serverId}/${id}${extension}`;
}

/** Uses `tar` with `pigz`, or else `gzip`. */
export function createArchiveStorage(kind: BackupStorageKind, blobs: BlobStore, stopping: AbortSignal): BackupStorage {
  let compressor: Promise<string> | null = null;
  const compress = async () => {
    compressor ??= hasProgram('pigz', stopping).then((isThere) => (isThere ? 'pigz' : 'gzip'));
    return compressor;
  };
  const readAll = async function* (backup: BackupRef, signal: AbortSignal, report: ReportShare) {
    const key = blobKey(backup);
    const length = await blobs.size(key);
    let done = 0;
    for await (const chunk of blobs.read(key, { offset: 0, length }, signal)) {
      yield chunk;
      done += chunk.length;
      report(done / length);
    }
  };
  const checksumOf = async (backup: BackupRef, signal: AbortSignal, report: ReportShare) => {
    const hash = createHash('sha256');
    for await (const chunk of readAll(backup, signal, report)) hash.update(chunk);
    return `sha256:${hash.digest('hex')}`;
  };
  return {
    kind,
    create: async (backup, source) => {
      const key = blobKey(backup);
      await blobs.delete(key);
      const tree = await source.scan();
      const hash = createHash('sha256');
      let sizeBytes = 0;
      const hashed = async function* () {
        for await (const chunk of archiveVolume(source, tree, `${await compress()} -1`)) {
          hash.update(chunk);
          sizeBytes += chunk.length;
          yield chunk;
        }
      };
      await blobs.put(key, hashed(), tree.contentBytes + tree.entries * maxHeadBytes, source.signal);
      const checksum = `sha256:${hash.digest('hex')}`;
      if ((await checksumOf(backup, source.signal, source.onVerified)) !== checksum) throw damaged();
      if ((await blobs.size(key)) !== sizeBytes) throw damaged();
      return { sizeBytes, checksum };
    },
    verify: async (backup, signal, onVerified) => {
      if ((await checksumOf(backup, signal, onVerified)) !== backup.checksum) throw damaged();
    },
    extract: async (backup, target) => {
      const content = readAll(backup, target.signal, target.onExtracted);
      const { chunks, checksum } = hashing(content);
      try {
        await extractArchive(chunks, target, { decompressor: `${await compress()} -d`, prefix: './' });
        if ((await checksum()) !== backup.checksum) throw damaged();
      } finally {
        await content.return(undefined);
      }
    },
    open: async (backup, { offset, limit }, signal) => {
      const key = blobKey(backup);
      const totalBytes = await blobs.size(key);
      const remaining = Math.max(0, totalBytes - offset);
      const length = limit === 0 ? remaining : Math.min(remaining, limit);
      return { totalBytes, chunks: blobs.read(key, { offset, length }, signal) };
    },
    list: async (backup, directory, max, signal) => {
      const content = readAll(backup, signal, () => undefined);
      return childrenOf(listArchive(content, signal), directory, max);
    },
    delete: async (backup) => blobs.delete(blobKey(backup)),
    deleteServer: async (serverId) => {
      for await (const key of blobs.list(`${serverId}/`)) await blobs.delete(key);
    },
    sweep: async (isRetained, signal) => {
      await blobs.sweep(signal);
      for await (const key of blobs.list('')) {
        signal.throwIfAborted();
        const [, serverId, id] = keyPattern.exec(key) ?? [];
        if (serverId === undefined || id === undefined || (await isRetained({ serverId, id }))) continue;
        await blobs.delete(key);
      }
    },
  };
}

/** A storage may answer other bytes than it did when they were verified. `checksum` reads what was left unread. */
function hashing(content: AsyncGenerator<Buffer>): {
  readonly chunks: AsyncIterable<Buffer>;
  readonly checksum: () => Promise<string>;
} {
  const hash = createHash('sha256');
  const next = async () => {
    const result = await content.next();
    if (!result.done) hash.update(result.value);
    return result;
  };
  return {
    // Without `return`, which would end the content with its reader.
    chunks: { [Symbol.asyncIterator]: () => ({ next }) },
    checksum: async () => {
      for (let result = await next(); !result.done;) result = await next();
      return `sha256:${hash.digest('hex')}`;
    },
  };
}

function damaged() {
  return fail('BACKUP_DAMAGED', 'what is stored of the backup is not what was written');
}
