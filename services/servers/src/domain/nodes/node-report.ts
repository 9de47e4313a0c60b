import { fail } from '../../reasons.js';
import type { GameNode } from './node.js';

/** Of a server, what decides whether files on a node are needed. */
export interface ServerPlace {
  readonly id: string;
  readonly name: string;
  readonly nodeId: string;
  /** Targets of a transfer, and nodes that it has yet to clean. */
  readonly busyNodeIds: readonly string[];
}

export interface OrphanVolume {
  readonly serverId: string;
  /** On disk; null: not measured in time. */
  readonly sizeBytes: number | null;
  /** On another node; null: there is none. */
  readonly server: ServerPlace | null;
}

/** Where a node differs from the records. */
export interface NodeReport {
  readonly orphanVolumes: readonly OrphanVolume[];
  readonly missingVolumes: readonly ServerPlace[];
  readonly orphanInstances: readonly string[];
  /** Restored from a dump older than the files. */
  readonly isDatabaseOlder: boolean;
}

/** VOLUME_MISSING */
export function filesMissingError({ id, name }: Pick<GameNode, 'id' | 'name'>) {
  return fail('VOLUME_MISSING', `the node ${name} has no files of this server`, { node_id: id });
}
