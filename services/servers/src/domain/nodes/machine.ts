import { splitTarget } from './check-node.js';
import type { GameNode } from './node.js';

/** Of one machine as it is addressed, and as it names itself. Null: not known, or of the process runtime. */
export interface MachineKeys {
  readonly addressKey: string | null;
  readonly machineKey: string | null;
}

/** `filesAddress`: the effective one. */
export function addressKeyOf(node: Pick<GameNode, 'runtime' | 'engine'>, filesAddress: string): string | null {
  if (node.runtime === 'process') return null;
  const { url } = node.engine;
  const { host, port } = splitTarget(filesAddress);
  return `${url.startsWith('unix://') ? url : url.toLowerCase()} ${host.toLowerCase()}:${port}`;
}

/** An engine with the disk that its games use. Clones of a machine share the id of the engine, two disks an engine. */
export function machineKeyOf(engineId: string, dataRootId: string): string | null {
  return engineId === '' || dataRootId === '' ? null : `${engineId} ${dataRootId}`;
}
