import type { NodeReport } from '@panel/client';

/** Files of no server, files of a server on another node, servers without files. */
const decidableKinds = ['unknown', 'elsewhere', 'missing'] as const;
/** The panel leaves instances of no server alone. */
export const kinds = [...decidableKinds, 'instance'] as const;

type DecidableKind = (typeof decidableKinds)[number];
export type DifferenceKind = (typeof kinds)[number];
export type Decision = 'adopt' | 'move' | 'forget' | 'remove';

export interface Difference {
  readonly serverId: string;
  /** By its record; null: there is none. */
  readonly server: NodeReport['missing_volumes'][number] | null;
  /** The engine of the node has an instance of this id, which is of no server. */
  readonly hasInstance: boolean;
  /** On the disk of the node; null: not known, or there are no files. */
  readonly sizeBytes: number | null;
}

export type Differences = Readonly<Record<DifferenceKind, readonly Difference[]>>;

/** The likely one first. */
export const decisions: Readonly<Record<DifferenceKind, readonly Decision[]>> = {
  unknown: ['adopt', 'remove'],
  elsewhere: ['move', 'remove'],
  missing: ['forget'],
  instance: [],
};

/** The panel lists at most so many of each. */
export const maxListed = 1_000;

/** An instance is listed with its files, if they exist. */
export function differencesOf({ orphan_volumes, missing_volumes, orphan_instances }: NodeReport): Differences {
  const instances = new Set(orphan_instances);
  const volumes = orphan_volumes.map(({ server_id: serverId, server, size_bytes: sizeBytes }) => ({
    serverId,
    server,
    hasInstance: instances.has(serverId),
    sizeBytes,
  }));
  const withFiles = new Set(volumes.map(({ serverId }) => serverId));
  const alone = orphan_instances.filter((serverId) => !withFiles.has(serverId));
  return {
    unknown: volumes.filter(({ server }) => server === null),
    elsewhere: volumes.filter(({ server }) => server !== null),
    missing: missing_volumes.map((server) => ({ serverId: server.id, server, hasInstance: false, sizeBytes: null })),
    instance: alone.map((serverId) => ({ serverId, server: null, hasInstance: true, sizeBytes: null })),
  };
}

/** There may be more than the panel lists. */
export function isCutOff({ orphan_volumes, missing_volumes, orphan_instances }: NodeReport): boolean {
  return [orphan_volumes, missing_volumes, orphan_instances].some(({ length }) => length >= maxListed);
}

/** What staff can decide about and have not. */
export function undecidedOf(
  differences: Differences,
): readonly { readonly kind: DecidableKind; readonly count: number }[] {
  return decidableKinds.map((kind) => ({ kind, count: differences[kind].length })).filter(({ count }) => count > 0);
}
