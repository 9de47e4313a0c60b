import type { FileHandle } from 'node:fs/promises';
import type { Job, Logger, RunningProcess } from '@panel/kit/process';
import { protoFiles, protoRoot } from '@panel/protos/source';
import { startService } from '@panel/rpc';
import type { FilesConfig } from './config.js';
import { createContext, type FilesContext } from './context.js';
import { createHandlers } from './handlers/index.js';
import { migrations } from './models/migrations/index.js';
import { startDirect, type StartedDirect } from './direct/start-direct.js';
import { startSftp, type StartedSftp } from './sftp/start-sftp.js';
import { lockDataRoot } from './usecases/data-root-lock.js';
import { recoverRestores } from './usecases/backups/restore-backup.js';
import { sweepBackups } from './usecases/backups/sweep-backups.js';
import { sweepUploads } from './usecases/uploads/sweep-uploads.js';
import { sweepInterruptedUploads } from './usecases/volumes/sweep-uploads.js';
import { sweepUsages } from './usecases/volumes/sweep-usages.js';

const sweepIntervalMs = 60 * 60_000;
const backupSweepMs = 60_000;

/** Start files: the directories of the servers of one node, and the work inside them. */
export async function startFiles(
  config: FilesConfig,
  { log, ...overrides }: { readonly log?: Logger } & Partial<Pick<FilesContext, 'clock'>> = {},
): Promise<RunningProcess> {
  let recover: () => Promise<void> = async () => undefined;
  let sftp: StartedSftp | null = null;
  let direct: StartedDirect | null = null;
  let lock: FileHandle | null = null;
  const running = await startService({
    name: 'files',
    config,
    migrations,
    log,
    reflection: { root: protoRoot, files: protoFiles.files },
    onIndexed: async () => recover(),
    build: async (base) => {
      lock = await lockDataRoot(config.dataRoot, base.log);
      const context = await createContext(config, base, overrides);
      recover = async () => {
        await context.operations.recover();
        await recoverRestores(context.backups, base.tasks.signal);
      };
      sftp = await startSftp(config, base, context);
      try {
        direct = await startDirect(config, base, context);
      } catch (error) {
        await sftp?.stop();
        throw error;
      }
      return {
        services: createHandlers(context),
        jobs: createSweepJobs(context, base.log),
        checks: { data_root: async () => context.volumes.check() },
        beforeStop: async () => {
          await Promise.all([sftp?.stop(), direct?.stop()]);
        },
        afterStop: async () => lock?.close(),
      };
    },
  }).catch(async (error: unknown) => {
    await lock?.close();
    throw error;
  });
  return {
    ...running,
    addresses: { ...running.addresses, ...addressOf('sftp', sftp), ...addressOf('direct', direct) },
  };
}

function addressOf(name: string, started: { readonly address: string } | null): Readonly<Record<string, string>> {
  return started ? { [name]: started.address } : {};
}

function createSweepJobs(context: FilesContext, log: Logger): Job[] {
  const { quotas, volumes, transfers, freezes, creations, trash, versions } = context;
  const intervalMs = sweepIntervalMs;
  return [
    { name: 'repair-disk-quotas', intervalMs, run: async (signal) => quotas.repair(signal) },
    { name: 'sweep-trash', intervalMs, run: async (signal) => volumes.purgeTrash(signal) },
    { name: 'sweep-transfers', intervalMs, run: async (signal) => transfers.sweep(signal) },
    { name: 'sweep-freezes', intervalMs, run: async () => freezes.sweep() },
    { name: 'sweep-uploads', intervalMs, run: async (signal) => sweepInterruptedUploads(context, log, signal) },
    { name: 'sweep-resumable-uploads', intervalMs, run: async (signal) => sweepUploads(context, signal) },
    { name: 'sweep-deleted-files', intervalMs, run: async (signal) => trash.sweep(signal) },
    { name: 'sweep-file-versions', intervalMs, run: async (signal) => versions.sweep(signal) },
    {
      name: 'measure-backups',
      intervalMs: backupSweepMs,
      run: async () => context.backups.metrics.measure(context.backups),
    },
    { name: 'sweep-backups', intervalMs: backupSweepMs, run: async (signal) => sweepBackups(context.backups, signal) },
    {
      name: 'sweep-download-links',
      intervalMs,
      run: async () => context.downloadLinks.deleteExpired(context.clock()),
    },
    { name: 'sweep-disk-usages', intervalMs, run: async (signal) => sweepUsages(context, signal) },
    { name: 'sweep-creations', intervalMs, run: async (signal) => creations.sweep(signal) },
  ];
}
