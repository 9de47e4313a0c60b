import { type MonotonicClock, monotonicClock } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { holdLease, type Lease } from '@panel/kit/lease';
import type { Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { NodeFiles } from '../node-clients/files.js';
import { fail } from '../reasons.js';

/** Allows changes again; if the files service is unavailable, the freeze expires. */
export async function thaw(
  { files, log }: { readonly files: Pick<NodeFiles, 'thaw'>; readonly log: Logger },
  node: GameNode,
  { serverId, operationId }: Pick<OperationLease, 'serverId' | 'operationId'>,
): Promise<void> {
  try {
    await files.thaw(node, serverId, operationId);
  } catch (error) {
    log.warn({ err: error, serverId }, 'the files of a server that stays are frozen for some minutes more');
  }
}

/** `freezeTtlMs` of the files service. */
const ttlMs = 120_000;
/** Time of a write that relies on the freeze, after a recent renewal. */
const certainMs = 60_000;

interface FreezeLeaseDeps {
  readonly files: Pick<NodeFiles, 'freeze'>;
  readonly log: Logger;
  readonly leaseClock?: MonotonicClock;
}

/**
 * Freezes files before a move: acknowledged writes are in, later ones are rejected. A loss matters only at
 * `confirmFreeze`. Throws SERVICE_UNAVAILABLE.
 */
export async function acquireFreeze(
  { files, log, leaseClock: clock = monotonicClock }: FreezeLeaseDeps,
  node: GameNode,
  { serverId, operationId }: Pick<OperationLease, 'serverId' | 'operationId'>,
): Promise<Lease> {
  const sentAt = clock.now();
  const freezeId = await files.freeze(node, serverId, operationId);
  return holdLease({
    name: 'freeze',
    facts: { serverId, operationId },
    ttlMs,
    marginMs: 0,
    sentAt,
    renew: async () => {
      try {
        await files.freeze(node, serverId, operationId, freezeId);
        return true;
      } catch (error) {
        if (isAppError(error, 'VOLUME_THAWED')) return false;
        throw error;
      }
    },
    lossError: () => fail('FILES_CHANGED', 'the files could be changed meanwhile'),
    clock,
    log,
  });
}

/**
 * Confirms no changes since the freeze and none for a minute. A node that just died is not queried: it keeps its
 * freezes. Throws FILES_CHANGED, SERVICE_UNAVAILABLE.
 */
export async function confirmFreeze(freeze: Lease): Promise<void> {
  await freeze.ensure(certainMs);
}
