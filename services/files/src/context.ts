import { createGrantSigner, type GrantSigner, isAppError, type ServiceBase, type TaskGroup } from '@panel/kit';
import type { FilesConfig } from './config.js';
import { measureTree } from './jail/measure.js';
import { createUsageMeter, type UsageMeter } from './jail/usage.js';
import { openVolumes, volumeOf, type Volumes } from './jail/volumes.js';

/** What the handlers hold. */
export interface FilesContext {
  readonly grants: GrantSigner;
  readonly volumes: Volumes;
  readonly usage: UsageMeter;
  readonly tasks: TaskGroup;
}

const usageMaxAgeMs = 60_000;
/** A game that moves directories about while they are measured is measured again, but not for ever. */
const maxMeasureTries = 3;

export async function createContext(base: Pick<ServiceBase, 'tasks'>, config: FilesConfig): Promise<FilesContext> {
  const volumes = await openVolumes(config.dataRoot, config.owner);
  const measure = async (serverId: string) =>
    volumes.open(volumeOf(serverId), async (root) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await measureTree(root, base.tasks.signal);
        } catch (error) {
          if (!isAppError(error, 'TREE_MOVED') || tries === maxMeasureTries) throw error;
        }
      }
    });
  return {
    grants: createGrantSigner(config.serviceSecret),
    volumes,
    usage: createUsageMeter({ maxAgeMs: usageMaxAgeMs, measure }),
    tasks: base.tasks,
  };
}
