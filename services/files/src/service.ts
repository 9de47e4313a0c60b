import type { MonotonicClock } from '@panel/kit/async';
import type { Logger, RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import type { FilesConfig } from './config.js';
import { createHandlers } from './handlers/index.js';
import { migrations } from './models/migrations/index.js';
import { type Machinery, startMachinery } from './machinery.js';
import type { ChangeLimits } from './sftp/change-paces.js';

/** Of tests. */
interface FilesOptions {
  readonly log?: Logger;
  readonly clock?: () => Date;
  /** Of direct transfers. */
  readonly monotonicClock?: MonotonicClock;
  readonly sftpChanges?: ChangeLimits;
}

export async function startFiles(
  config: FilesConfig,
  { log, clock, monotonicClock, sftpChanges }: FilesOptions = {},
): Promise<RunningProcess> {
  const held: { machinery?: Machinery } = {};
  const running = await startService({
    name: 'files',
    config,
    migrations,
    adminAddress: config.adminAddress,
    log,
    onIndexed: async () => held.machinery?.recover(),
    build: async (base) => {
      const started = await startMachinery(config, {
        ...base,
        ...(clock && { clock, systemClock: clock }),
        ...(monotonicClock && { monotonicClock }),
        ...(sftpChanges && { sftpChanges }),
      });
      held.machinery = started;
      const { context, jobs } = started;
      return {
        services: createHandlers(context),
        jobs,
        checks: { data_root: async () => context.volumes.check() },
        beforeStop: async () => started.stopListening(),
        afterStop: async () => started.release(),
      };
    },
  }).catch(async (error: unknown) => {
    await held.machinery?.release();
    throw error;
  });
  return { ...running, addresses: { ...running.addresses, ...held.machinery?.addresses } };
}
