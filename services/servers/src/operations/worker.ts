import { isAppError } from '@panel/kit/errors';
import { LeasedWorker, type RunFailure } from '@panel/kit/lease';
import type { TaskGroup } from '@panel/kit/process';
import { describeFailure } from '../domain/servers/describe-failure.js';
import type { GameServer } from '../domain/servers/server.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import { isDependencyUnavailable } from '../games/dependency-unavailable.js';
import type { OperationDefinition, OperationDeps } from './operation.js';
import { OwnerTurns } from './owner-turns.js';
import { definitionOf, kindsOf, knownKinds } from './registry.js';

type Lane = OperationDefinition['lane'];
const concurrencyOf: Readonly<Record<Lane, number>> = { short: 8, long: 4 };

const unknownLimit = 100;

interface ClaimedOperation {
  readonly server: GameServer;
  readonly definition: OperationDefinition;
  readonly lease: OperationLease;
}

/** Runs operations of this replica's nodes. Owners take turns. An interrupted one restarts at its first step. */
export class OperationWorker {
  readonly #lanes: Readonly<Record<Lane, LeasedWorker<ClaimedOperation>>>;

  constructor(
    private readonly deps: OperationDeps,
    tasks: TaskGroup,
    private readonly ownedNodes: () => readonly string[],
  ) {
    this.#lanes = { short: this.#createLane('short', tasks), long: this.#createLane('long', tasks) };
  }

  /** Called every second, and after a local start. */
  async tick(): Promise<void> {
    for (const lane of Object.values(this.#lanes)) await lane.tick();
  }

  /** Reports kinds that only a newer version knows; nothing ends them. */
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

  /** Another operation has begun: ends local work on the server. */
  cancel(serverId: string): void {
    for (const lane of Object.values(this.#lanes)) lane.cancel(serverId);
  }

  #createLane(lane: Lane, tasks: TaskGroup): LeasedWorker<ClaimedOperation> {
    const { servers, settings, attempt, log } = this.deps;
    const turns = new OwnerTurns(concurrencyOf[lane]);
    return new LeasedWorker<ClaimedOperation>(
      {
        job: 'run-operations',
        concurrency: concurrencyOf[lane],
        ttlMs: settings.workTtlMs,
        waiting: async (limit) => {
          const nodes = this.ownedNodes();
          return nodes.length === 0 ? [] : turns.order(await servers.operations.waiting(nodes, kindsOf(lane), limit));
        },
        claim: async (serverId) => this.#claim(lane, serverId),
        renew: async ({ lease }) => servers.operations.renew(lease, settings.workTtlMs),
        run: async ({ server, definition, lease }, { signal }) => {
          const run = { server, lease, signal };
          const claims = lease.fence - (server.operation?.waits ?? 0);
          await turns.hold(server.userId, async () =>
            claims > definition.maxClaims ? definition.giveUp(this.deps, run) : definition.run(this.deps, run),
          );
        },
        giveBack: async (claimed, failure) => this.#giveBack(claimed, failure),
      },
      { tasks, attempt, log },
    );
  }

  async #claim(lane: Lane, serverId: string): Promise<ClaimedOperation | null> {
    // A superseded run may still be ending in the other lane.
    if (this.#lanes[lane === 'short' ? 'long' : 'short'].isRunning(serverId)) return null;
    const { servers, owner, settings } = this.deps;
    const server = await servers.operations.claim(serverId, owner, settings.workTtlMs);
    if (!server?.operation) return null;
    const { id: operationId, kind, fence } = server.operation;
    return { server, definition: definitionOf(kind), lease: { serverId, operationId, fence } };
  }

  /** Otherwise the lease expires. */
  async #giveBack({ definition, lease }: ClaimedOperation, { error, isStopping }: RunFailure): Promise<void> {
    const { log, servers } = this.deps;
    if (isStopping) await servers.operations.release(lease);
    else if (isDependencyUnavailable(error)) {
      log.warn({ err: error, ...lease }, 'an operation waits for its node');
      await servers.operations.setProblem(lease, problemOf(definition, error));
      if (definition.waitMs !== undefined) await servers.operations.wait(lease, definition.waitMs);
    } else if (!isAppError(error, 'LEASE_LOST')) throw error;
  }
}

function problemOf({ waitHint }: OperationDefinition, error: unknown): string {
  const problem = describeFailure(error);
  return waitHint === undefined ? problem : `${problem}: ${waitHint}`;
}
