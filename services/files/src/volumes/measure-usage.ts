import { isAppError } from '@panel/kit/errors';
import type { TaskGroup } from '@panel/kit/process';
import { measureTree } from '../jail/measure.js';
import type { TempNames } from '../jail/temp-names.js';
import { UsageMeter } from './usage.js';
import { volumeOf, type Volumes } from './volumes.js';

interface UsageDeps {
  readonly volumes: Pick<Volumes, 'open'>;
  readonly tempNames: TempNames;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
  readonly outside: readonly ((serverId: string) => Promise<number>)[];
  readonly record: (measured: { serverId: string; usedBytes: number; measuredAt: Date }) => Promise<void>;
}

const usageMaxAgeMs = 60_000;
const usagePatienceMs = 3_000;
/** Measurements of a tree whose directories move. */
const maxMeasureTries = 3;

/** A task records each measurement. */
export function createUsageMeter(deps: UsageDeps): UsageMeter {
  const { tasks, clock, record } = deps;
  return new UsageMeter({
    maxAgeMs: usageMaxAgeMs,
    patienceMs: usagePatienceMs,
    measure: async (serverId, pass) => {
      const measuredAt = clock();
      const usedBytes = await measure(deps, serverId, pass);
      tasks.run('record disk usage', async () => record({ serverId, usedBytes, measuredAt }));
      return usedBytes;
    },
  });
}

async function measure(
  { volumes, tempNames, tasks, outside }: UsageDeps,
  serverId: string,
  pass: () => Promise<void>,
): Promise<number> {
  return volumes.open(volumeOf(serverId), async (root) => {
    for (let tries = 1; ; tries += 1) {
      try {
        let bytes = await measureTree(root, { signal: tasks.signal, tempNames, pass });
        for (const measureOutside of outside) bytes += await measureOutside(serverId);
        return bytes;
      } catch (error) {
        if (!isAppError(error, 'TREE_MOVED') || tries === maxMeasureTries) throw error;
      }
    }
  });
}
