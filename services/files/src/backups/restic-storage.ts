import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isAppError, isErrno, KeyedMutex } from '@panel/kit';
import { uuid } from '../domain/server-id.js';
import { fail } from '../reasons.js';
import { childrenOf } from './archive-storage.js';
import type { BackupEntry, BackupRef, BackupStorage, ExtractTarget, ReportShare } from './backup-storage.js';
import { outputOf, startProgram } from './backup-program.js';
import { linkTree } from './link-tree.js';
import { extractArchive } from './tar-archive.js';
import { z } from 'zod';

export interface ResticConfig {
  /** A directory, or what restic calls a repository, like s3:https://host/bucket; each server has one below it. */
  readonly repository: string;
  readonly password: string;
  /** Environment of restic, like AWS_ACCESS_KEY_ID. */
  readonly environment: Readonly<Record<string, string>>;
  /** For caches and for the trees that are being backed up; on the file system of the volumes. */
  readonly workDirectory: string;
}

const summarySchema = z.object({ message_type: z.literal('summary'), snapshot_id: z.string() });
const statusSchema = z.object({ message_type: z.literal('status'), percent_done: z.number() });
const nodeSchema = z.object({
  struct_type: z.literal('node'),
  path: z.string(),
  type: z.string(),
  size: z.number().default(0),
  mtime: z.string(),
});

/**
 * Backups as snapshots of a restic repository: only what has changed is stored, compressed and encrypted. A server has a
 * repository of its own, so that nothing of another is ever locked, read or removed with it. The snapshot's id is the checksum
 * of its contents; restic compares it when it reads.
 */
export function createResticStorage(config: ResticConfig): BackupStorage {
  const isLocal = config.repository.startsWith('/');
  const repositoryOf = (serverId: string) =>
    isLocal ? path.join(config.repository, serverId) : `${config.repository.replace(/\/$/, '')}/${serverId}`;
  const treeOf = (serverId: string) => path.join(config.workDirectory, 'trees', serverId);
  /** By server: restic itself locks a repository, and waits for nobody. */
  const mutex = new KeyedMutex();
  const start = (serverId: string, args: readonly string[], options: Parameters<typeof startProgram>[1]) =>
    startProgram(['restic', '--cache-dir', path.join(config.workDirectory, 'cache'), ...args], {
      ...options,
      env: { ...config.environment, RESTIC_REPOSITORY: repositoryOf(serverId), RESTIC_PASSWORD: config.password },
    });
  const runRestic = async (serverId: string, args: readonly string[], signal: AbortSignal) => {
    const lines: string[] = [];
    for await (const line of linesOf(start(serverId, args, { signal }))) lines.push(line);
    return lines;
  };
  const never = new AbortController().signal;
  const idOf = ({ checksum }: BackupRef) => checksum.replace(/^sha256:/, '');

  const prepare = async (serverId: string, signal: AbortSignal) => {
    try {
      await runRestic(serverId, ['cat', 'config', '--no-lock'], signal);
      // left by a process that was killed: this one is the only writer
      await runRestic(serverId, ['unlock', '--remove-all'], signal);
    } catch (error) {
      if (!isAppError(error, 'BACKUP_TOOL_FAILED')) throw error;
      if (isLocal) await mkdir(repositoryOf(serverId), { recursive: true, mode: 0o700 });
      await mapUnavailable(async () => runRestic(serverId, ['init', '--repository-version', '2'], signal));
    }
  };
  const snapshotsOf = async (serverId: string, tag: string, signal: AbortSignal) => {
    const lines = await runRestic(serverId, ['snapshots', '--json', '--no-lock', '--tag', tag], signal);
    const found = z
      .array(z.object({ id: z.string() }))
      .nullable()
      .parse(JSON.parse(lines.join('') || 'null'));
    return (found ?? []).map(({ id }) => id);
  };

  return {
    kind: 'restic',
    create: async (backup, { root, tree, signal, onArchived, onVerified }) =>
      mutex.run(backup.serverId, async () => {
        await prepare(backup.serverId, signal);
        const before = isLocal ? await packsIn(repositoryOf(backup.serverId)) : new Set<string>();
        const directory = treeOf(backup.serverId);
        await rm(directory, { recursive: true, force: true });
        await mkdir(directory, { recursive: true, mode: 0o700 });
        try {
          await linkTree(root, tree, directory, signal);
          const args = ['backup', '--json', '--ignore-ctime', '--host', 'panel', '--tag', backup.id, '.'];
          let snapshotId = '';
          // 3: some files could not be read completely, as when they change
          const options = { cwd: directory, signal, acceptedCodes: [0, 3] };
          for await (const line of linesOf(start(backup.serverId, args, options))) {
            const message = parseLine(line);
            const status = statusSchema.safeParse(message);
            if (status.success) onArchived(status.data.percent_done);
            const summary = summarySchema.safeParse(message);
            if (summary.success) snapshotId = summary.data.snapshot_id;
          }
          const [id] = await snapshotsOf(backup.serverId, backup.id, signal);
          if (id === undefined || !id.startsWith(snapshotId)) {
            throw fail('BACKUP_TOOL_FAILED', 'restic has made no snapshot', { program: 'restic' });
          }
          if (isLocal) await verifyPacks(repositoryOf(backup.serverId), before, signal, onVerified);
          await verifyTree(id, backup.serverId, signal);
          return { sizeBytes: tree.contentBytes, checksum: `sha256:${id}` };
        } finally {
          await rm(directory, { recursive: true, force: true });
        }
      }),
    verify: async (backup, signal, onVerified) => {
      onVerified(0);
      await verifyTree(idOf(backup), backup.serverId, signal);
      onVerified(1);
    },
    extract: async (backup, target) => extractSnapshot(backup, target),
    open: async (backup, _range, signal) => {
      const dump = start(backup.serverId, ['dump', '--no-lock', '--archive', 'tar', idOf(backup), '/'], { signal });
      const gzip = startProgram(['gzip', '-1'], { signal });
      dump.stdout.pipe(gzip.stdin);
      dump.finished.catch((error: Error) => gzip.stdout.destroy(error));
      return { totalBytes: null, chunks: outputOf(gzip) };
    },
    list: async (backup, directory, max, signal) => {
      const args = ['ls', '--json', '--no-lock', idOf(backup), `/${directory}`];
      return childrenOf(entriesOf(start(backup.serverId, args, { signal })), directory, max);
    },
    delete: async (backup) =>
      mutex.run(backup.serverId, async () => {
        if (isLocal && !(await isThere(repositoryOf(backup.serverId)))) return;
        await mapUnavailable(async () => {
          const ids = await snapshotsOf(backup.serverId, backup.id, never);
          if (ids.length === 0) return;
          await runRestic(backup.serverId, ['unlock', '--remove-all'], never);
          await runRestic(backup.serverId, ['forget', '--prune', '--max-unused', '5%', ...ids], never);
        });
      }),
    deleteServer: async (serverId) =>
      mutex.run(serverId, async () => {
        if (isLocal) await rm(repositoryOf(serverId), { recursive: true, force: true });
        await rm(treeOf(serverId), { recursive: true, force: true });
      }),
    sweep: async (_isKept, signal) => {
      const trees = path.join(config.workDirectory, 'trees');
      await mkdir(trees, { recursive: true, mode: 0o700 });
      for (const serverId of (await readdir(trees)).filter((name) => uuid.test(name))) {
        signal.throwIfAborted();
        // in use only while its mutex is held
        await mutex.run(serverId, async () => rm(treeOf(serverId), { recursive: true, force: true }));
      }
    },
  };

  /** Everything the snapshot refers to is there: restic reads all of its directories and the index of its contents. */
  async function verifyTree(id: string, serverId: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const _line of linesOf(start(serverId, ['ls', '--json', '--no-lock', id], { signal }))) {
        // read to the end
      }
    } catch (error) {
      if (!isAppError(error, 'BACKUP_TOOL_FAILED')) throw error;
      throw fail('BACKUP_DAMAGED', 'the snapshot cannot be read from its repository', {}, { cause: error });
    }
  }

  /** Contents are compared with their checksums by restic as they are read; one that differs fails it. */
  async function extractSnapshot(backup: BackupRef, target: ExtractTarget): Promise<void> {
    const { signal, onExtracted } = target;
    onExtracted(0);
    const dump = start(backup.serverId, ['dump', '--no-lock', '--archive', 'tar', idOf(backup), '/'], { signal });
    const content = async function* () {
      try {
        yield* outputOf(dump);
      } catch (error) {
        if (!isAppError(error, 'BACKUP_TOOL_FAILED')) throw error;
        throw fail('BACKUP_DAMAGED', 'the snapshot cannot be read from its repository', {}, { cause: error });
      }
    };
    await extractArchive(content(), target, { decompressor: null, prefix: '' });
    onExtracted(1);
  }
}

async function* linesOf(program: ReturnType<typeof startProgram>): AsyncGenerator<string> {
  program.stdin.end();
  let rest = '';
  for await (const chunk of outputOf(program)) {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}

async function* entriesOf(program: ReturnType<typeof startProgram>): AsyncGenerator<BackupEntry> {
  try {
    for await (const line of linesOf(program)) {
      const parsed = nodeSchema.safeParse(parseLine(line));
      if (!parsed.success) continue;
      const { path: name, type, size, mtime } = parsed.data;
      const kind = type === 'dir' ? 'directory' : type === 'symlink' ? 'symlink' : 'file';
      yield { path: name.replace(/^\//, ''), kind, sizeBytes: size, modifiedAt: new Date(mtime) };
    }
  } catch (error) {
    if (isAppError(error, 'BACKUP_TOOL_FAILED')) throw fail('FILE_NOT_FOUND', 'the backup has no such directory');
    throw error;
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Files with the data of a repository, by name, which is the SHA-256 of what is in them (restic's design, "Packs"). */
async function packsIn(repository: string): Promise<Set<string>> {
  const packs = new Set<string>();
  const data = path.join(repository, 'data');
  for (const directory of await namesIn(data)) {
    for (const name of await namesIn(path.join(data, directory))) packs.add(`${directory}/${name}`);
  }
  return packs;
}

/** Read back what was written. */
async function verifyPacks(
  repository: string,
  before: ReadonlySet<string>,
  signal: AbortSignal,
  report: ReportShare,
): Promise<void> {
  const added = [...(await packsIn(repository))].filter((name) => !before.has(name));
  for (const [i, name] of added.entries()) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path.join(repository, 'data', name), { signal })) hash.update(chunk);
    if (hash.digest('hex') !== path.basename(name)) throw fail('BACKUP_DAMAGED', 'a pack is not what was written');
    report((i + 1) / added.length);
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

async function mapUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error, 'BACKUP_TOOL_FAILED')) throw error;
    throw fail('STORAGE_UNAVAILABLE', error.message, {}, { cause: error });
  }
}
