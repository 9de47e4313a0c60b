import { assertNever, isAppError, type TaskGroup } from '@panel/kit';
import { type GameServer, type InstallState, type OperationKind, operationKinds } from '../../domain/servers/server.js';
import type { OperationLease } from '../../models/servers/server-operations.js';
import type { PowerService } from '../power/power-service.js';
import { raceAbort } from '../../race-abort.js';
import { deleteServer } from './delete.js';
import { transferServer } from './transfer.js';
import { installServer, type InstallDeps } from './install.js';

/** Transfers take hours, and must not keep installations waiting. */
const lanes = [
  { kinds: operationKinds.filter((kind) => kind !== 'transferring'), maxAtOnce: 8 },
  { kinds: ['transferring'], maxAtOnce: 4 },
] as const satisfies readonly Lane[];
/** Claims of one operation after which it is given up: something about it ends its workers. */
const maxClaims = 8;
/** Time an installer has to be killed in when this process ends. */
const abortGraceMs = 2_000;

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
 * its lease has run out, and begins anew: every step can be repeated.
 */
export class OperationWorker {
  readonly #running = new Map<string, Work>();

  constructor(
    private readonly deps: InstallDeps & { readonly power: PowerService },
    private readonly tasks: TaskGroup,
    private readonly ownedNodes: () => readonly string[],
  ) {}

  /** Claim what waits. Called every second, and at once when something was begun here. */
  async tick(): Promise<void> {
    for (const lane of lanes) await this.#claimFor(lane);
  }

  async #claimFor({ kinds, maxAtOnce }: Lane): Promise<void> {
    const busy = [...this.#running.values()].filter(({ kind }) => kinds.includes(kind)).length;
    const nodes = this.ownedNodes();
    if (busy >= maxAtOnce || nodes.length === 0) return;
    for (const serverId of await this.deps.servers.operations.waiting(nodes, kinds, maxAtOnce - busy)) {
      if (this.#running.has(serverId)) continue;
      const claimed = await this.deps.servers.operations.claim(serverId, this.deps.owner, this.deps.settings.workTtlMs);
      if (claimed) this.#work(claimed);
    }
  }

  /** Something else has been begun with a server: what this process does with it ends now instead of at its next look. */
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
        const performed = this.#perform(server, lease, AbortSignal.any([stopping, lost.signal]));
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

  async #stopFirst(server: GameServer, lease: OperationLease): Promise<void> {
    await this.deps.servers.operations.progress(lease, 'stop', 1);
    await this.deps.power.forceStop(server, this.deps.settings.stopGraceMs);
    this.deps.failpoint('reinstall.stopped');
  }

  async #renew(lease: OperationLease, lost: AbortController): Promise<void> {
    try {
      if (!(await this.deps.servers.operations.renew(lease, this.deps.settings.workTtlMs))) lost.abort();
    } catch (error) {
      this.deps.log.warn({ err: error, ...lease }, 'an operation could not be renewed');
    }
  }

  async #perform(server: GameServer, lease: OperationLease, signal: AbortSignal): Promise<void> {
    const kind = server.operation?.kind;
    switch (kind) {
      case 'installing':
      case 'reinstalling': {
        if (kind === 'reinstalling') await this.#stopFirst(server, lease);
        const result = lease.fence > maxClaims ? interrupted() : await installServer(this.deps, server, lease, signal);
        const wantsStart = result.state === 'installed' && server.operation?.options.startOnCompletion === true;
        await this.deps.servers.operations.finishInstall(lease, result, wantsStart);
        return;
      }
      case 'deleting':
        return deleteServer(this.deps, server, lease);
      case 'transferring': {
        const isOwned = (nodeId: string) => this.ownedNodes().includes(nodeId);
        return transferServer({ ...this.deps, isOwned }, server, lease, signal);
      }
      case 'restoring':
      case undefined:
        await this.deps.servers.operations.finish(lease);
        return;
      default:
        assertNever(kind);
    }
  }
}

/** The lease is left to run out, and whoever claims it next tries again. */
function isWaiting(error: unknown): boolean {
  return isAppError(error) && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
}

function interrupted(): InstallState {
  return { state: 'failed', error: 'the installation was interrupted too often', exitCode: null, at: new Date() };
}
