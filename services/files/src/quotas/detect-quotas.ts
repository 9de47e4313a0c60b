import { readFile, realpath } from 'node:fs/promises';
import { messageOf } from '@panel/kit/errors';
import { openTrusted, withHandle } from '../jail/node.js';
import { findQuotaMount, type QuotaMount } from './quota-mount.js';
import type { QuotaPrograms } from './quota-programs.js';

/** No server has it: the ids of servers come after it. */
const probeProjectId = 1_048_576;

/**
 * The file system of a directory when its project quotas can be used by this process, or why not, as a clause. The programs
 * are tried: they need to be installed, and the right to use them.
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
