import { abortable } from './abortable-calls.js';
import type { Engine } from './engine.js';
import { engineWords, statusOf, unforeseen } from './engine.js';

/** Bridge of all games; also the name of the interface, so that a firewall rule can name it (at most 15 characters). */
export const networkName = 'panel_nw';

/** Make the games' own bridge unless it is there. Games reach the outside and are reached by port, not by one another. */
export async function ensureNetwork(engine: Engine): Promise<void> {
  if (await exists(engine)) return;
  try {
    await engine.call(async (docker, abortSignal) =>
      docker.createNetwork({
        Name: networkName,
        CheckDuplicate: true,
        Driver: 'bridge',
        Options: {
          // Engines before API 1.44 let two racing calls make two networks of one name; two of one interface they do not.
          'com.docker.network.bridge.name': networkName,
          'com.docker.network.bridge.enable_icc': 'false',
          'com.docker.network.bridge.enable_ip_masquerade': 'true',
        },
        abortSignal,
      }),
    );
  } catch (error) {
    const someoneElseDid =
      statusOf(error) !== null && /already exists|same bridge name|already using|exists/i.test(engineWords(error));
    if (!someoneElseDid || !(await exists(engine))) throw unforeseen(error);
  }
}

async function exists(engine: Engine): Promise<boolean> {
  try {
    await engine.call(async (docker, abortSignal) =>
      abortable(docker).getNetwork(networkName).inspect({ abortSignal }),
    );
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw unforeseen(error);
  }
}
