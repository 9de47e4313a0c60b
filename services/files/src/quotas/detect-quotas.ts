import { readFile, realpath } from 'node:fs/promises';
import { messageOf } from '@panel/kit/errors';
import { openTrusted, withHandle } from '../jail/node.js';
import { findQuotaMount, type QuotaMount } from './quota-mount.js';
import type { QuotaPrograms } from './quota-programs.js';

/** Unused: server ids start after it. */
const probeProjectId = 1_048_576;

/**
 * The file system, or why its project quotas are unusable, as a clause. Runs the programs, to check installation and
 * privileges.
 */
export async function detectQuotas(
  programs: QuotaPrograms,
  directory: string,
  mountinfo?: string,
): Promise<QuotaMount | string> {
  const path = await realpath(directory);
  const mount = findQuotaMount(mountinfo ?? (await readFile('/proc/self/mountinfo', 'utf8')), path);
  if (typeof mount === 'string') return mount;
  try {
    await withHandle(await openTrusted(path), async (handle) => programs.projectsOf([handle]));
    await programs.setLimits(mount.mountPoint, [{ projectId: probeProjectId, bytes: 0 }]);
    return mount;
  } catch (error) {
    return messageOf(error).replace(/\s+/g, ' ');
  }
}
