import { raceAbort } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { TaskGroup } from '@panel/kit/process';
import type { GameServer, OperationKind } from '../domain/servers/server.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { OperationDeps } from './operation.js';
import { definitionOf, kindsOf, knownKinds } from './registry.js';

const lanes = [
  { kinds: kindsOf('short'), maxAtOnce: 8 },
  { kinds: kindsOf('long'), maxAtOnce: 4 },
] as const satisfies readonly Lane[];
/** Time for an installer to be killed when this process ends. */
const abortGraceMs = 2_000;
const unknownLimit = 100;

interface Lane {
  readonly kinds: readonly OperationKind[];
  readonly maxAtOnce: number;
}

interface Work {
  readonly kind: OperationKind;
  readonly lost: AbortController;
}

/**
 * Carries out the operations of the servers on this replica's nodes. An operation whose worker died is claimed again when
 * its lease has expired, and starts from its first step.
 */
export class OperationWorker {
  readonly #running = new Map<string, Work>();

  constructor(
    private readonly deps: OperationDeps,
    private readonly tasks: TaskGroup,
    private readonly ownedNodes: () => readonly string[],
  ) {}

  /** Claim what waits. Called every second, and at once when this process has started an operation. */
  async tick(): Promise<void> {
    for (const lane of lanes) await this.#claimFor(lane);
  }

  /** Report operations of kinds that this version does not know: they wait for a newer version, and nobody ends them. */
  async reportUnknown(): Promise<void> {
    const nodes = this.ownedNodes();
    if (nodes.length === 0) return;
    for (const { serverId, kind } of await this.deps.servers.operations.unknown(nodes, knownKinds, unknownLimit)) {
      this.deps.log.error(
        { serverId, kind, reason: 'OPERATION_UNKNOWN' },
        'no version of this replica runs an operation',
      );
    }
  }

  async #claimFor({ kinds, maxAtOnce }: Lane): Promise<void> {
    const busy = [...this.#running.values()].filter(({ kind }) => kinds.includes(kind)).length;
    const nodes = this.ownedNodes();
    if (busy >= maxAtOnce || nodes.length === 0) return;
    for (const serverId of await this.deps.servers.operations.waiting(nodes, kinds, maxAtOnce - busy)) {
      if (this.#running.has(serverId)) continue;
      const { servers, owner, settings, attempt } = this.deps;
      await attempt('run-operations', serverId, async () => {
        const claimed = await servers.operations.claim(serverId, owner, settings.workTtlMs);
        if (claimed) this.#work(claimed);
      });
    }
  }

  /** Something else has been started with a server: what this process does with it ends now instead of at its next look. */
  cancel(serverId: string): void {
    this.#running.get(serverId)?.lost.abort();
  }

  #work(server: GameServer): void {
    const { operation } = server;
    if (!operation) return;
    const lost = new AbortController();
    const work: Work = { kind: operation.kind, lost };
    this.#running.set(server.id, work);
    this.tasks.run(`operation.${operation.kind}`, async (stopping) => {
      const lease: OperationLease = { serverId: server.id, operationId: operation.id, fence: operation.fence };
      const timer = setInterval(
        () => void this.#renew(lease, lost),
        Math.floor(this.deps.settings.workTtlMs / 3),
      ).unref();
      try {
        const performed = this.#run(server, lease, AbortSignal.any([stopping, lost.signal]));
        await raceAbort(performed, stopping, abortGraceMs);
      } catch (error) {
        // Let go at once when this process ends, so that another replica need not wait for the lease to run out.
        if (stopping.aborted) await this.deps.servers.operations.release(lease);
        else if (lost.signal.aborted) this.deps.log.info({ ...lease }, 'an operation was given up for another one');
        else if (isWaiting(error)) this.deps.log.warn({ err: error, ...lease }, 'an operation waits for its node');
        else if (!isAppError(error, 'LEASE_LOST')) throw error;
      } finally {
        clearInterval(timer);
        if (this.#running.get(server.id) === work) this.#running.delete(server.id);
      }
    });
  }

  async #renew(lease: OperationLease, lost: AbortController): Promise<void> {
    try {
      if (!(await this.deps.servers.operations.renew(lease, this.deps.settings.workTtlMs))) lost.abort();
    } catch (error) {
      this.deps.log.warn({ err: error, ...lease }, 'an operation could not be renewed');
    }
  }

  async #run(server: GameServer, lease: OperationLease, signal: AbortSignal): Promise<void> {
    if (!server.operation) return;
    const definition = definitionOf(server.operation.kind);
    const run = { server, lease, signal };
    await (lease.fence > definition.maxClaims ? definition.giveUp(this.deps, run) : definition.run(this.deps, run));
  }
}

/** The lease is left to run out, and whoever claims it next tries again. */
function isWaiting(error: unknown): boolean {
  return isAppError(error) && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
}
