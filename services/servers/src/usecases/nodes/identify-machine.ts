import { raceAbort } from '@panel/kit/async';
import type { ServersContext } from '../../context.js';
import { addressKeyOf, type MachineKeys, machineKeyOf } from '../../domain/nodes/machine.js';
import type { NodeFields } from '../../domain/nodes/node.js';

/** An engine takes a second or two for many questions at a time. */
const patienceMs = 8_000;

/** Asks engine and files service. Of one that does not answer the node's watcher asks later. */
export async function identifyMachine(
  { runtimes, files, log }: Pick<ServersContext, 'runtimes' | 'files' | 'log'>,
  node: Pick<NodeFields, 'runtime' | 'engine' | 'filesAddress'>,
): Promise<MachineKeys> {
  const addressKey = addressKeyOf(node, files.addressOf(node));
  if (addressKey === null) return { addressKey, machineKey: null };
  try {
    const asked = Promise.all([
      runtimes.probe({ ...node, id: '', emulatedPlatforms: [] }, async (runtime) => runtime.machine()),
      files.dataRoot(node),
    ]);
    const [{ engineId }, { dataRootId }] = await raceAbort(asked, AbortSignal.timeout(patienceMs));
    return { addressKey, machineKey: machineKeyOf(engineId, dataRootId) };
  } catch (error) {
    log.debug({ err: error }, 'a machine does not say which one it is');
    return { addressKey, machineKey: null };
  }
}
