import { type MonotonicClock, monotonicClock } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { holdLease, type Lease } from '@panel/kit/lease';
import type { Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { NodeFiles } from '../node-clients/files.js';
import { fail } from '../reasons.js';

/** Let the files of a server that stays be changed again; with a files service that is unavailable this happens by itself soon. */
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

/** A freeze ends by itself after 2 minutes (`freezeTtlMs` of the files service). */
const ttlMs = 120_000;
/** A write that relies on the freeze has this long: without a renewal, if the last one is recent enough. */
const certainMs = 60_000;

interface FreezeLeaseDeps {
  readonly files: Pick<NodeFiles, 'freeze'>;
  readonly log: Logger;
  readonly leaseClock?: MonotonicClock;
}

/**
 * Lease the files of a server that is leaving a node, as they are: what was acknowledged before is in them, and nothing comes
 * after. Its loss matters at `confirmFreeze` only. Throws SERVICE_UNAVAILABLE.
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
 * Resolves when nothing could change since the freeze began, and nothing can for a minute. A node that has died a moment ago
 * is not asked: it keeps its freezes. Throws FILES_CHANGED, SERVICE_UNAVAILABLE.
 */
export async function confirmFreeze(freeze: Lease): Promise<void> {
  await freeze.ensure(certainMs);
}
