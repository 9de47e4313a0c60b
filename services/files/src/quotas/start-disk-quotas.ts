import { ConfigError } from '@panel/kit/process';
import { detectQuotas } from './detect-quotas.js';
import { createQuotaPrograms, type QuotaPrograms } from './quota-programs.js';
import { type DiskQuotas, type DiskQuotasOptions, noDiskQuotas, ProjectQuotas } from './disk-quotas.js';

interface StartOptions extends Omit<DiskQuotasOptions, 'mount' | 'programs'> {
  readonly directory: string;
  readonly programs?: QuotaPrograms;
  /** Replaces /proc/self/mountinfo. */
  readonly mountinfo?: string;
}

/** Throws ConfigError if required but unavailable. */
export async function startDiskQuotas(
  mode: 'auto' | 'off' | 'required',
  { directory, programs = createQuotaPrograms(), mountinfo, ...options }: StartOptions,
): Promise<DiskQuotas> {
  const { log } = options;
  if (mode === 'off') {
    log.info('disk limits are watched: DISK_QUOTAS is off');
    return noDiskQuotas;
  }
  const mount = await detectQuotas(programs, directory, mountinfo);
  if (typeof mount !== 'string') {
    log.info(`disk limits are held by the kernel: project quotas of ${mount.fileSystem} on ${mount.mountPoint}`);
    return new ProjectQuotas({ ...options, mount, programs });
  }
  if (mode === 'required') {
    throw new ConfigError([`DISK_QUOTAS is required, but project quotas cannot be used: ${mount}`]);
  }
  log.info(`disk limits are watched, not held by the kernel: ${mount}`);
  return noDiskQuotas;
}
