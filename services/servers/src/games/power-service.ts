import { randomUUID } from 'node:crypto';
import { monotonicClock, raceAbort } from '@panel/kit/async';
import { assertNever, isAppError } from '@panel/kit/errors';
import { stopGraceMsOf } from '../domain/servers/run-settings.js';
import { serverNotFound } from '../domain/servers/access.js';
import type { GameNode } from '../domain/nodes/node.js';
import { checkPowerAction } from '../domain/power/power-transitions.js';
import type { GameServer, PowerAction } from '../domain/servers/server.js';
import type { PowerLeaseRequest, StopGround } from '../models/servers/server-power.js';
import { fail } from '../reasons.js';
import type { Runtime } from '@panel/runtime';
import type { GameDeps } from './dependencies.js';
import { describeFailure } from '../domain/servers/describe-failure.js';
import { ExitHandler } from './exit-handler.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { PowerLease } from './power-lease.js';
import { startGame } from './start-game.js';
import { stopGame } from './stop-game.js';

const maxAcceptTries = 5;
/** Of failed automatic starts; doubles up to `maxRetryMs`. */
const retryMs = 5_000;
const maxRetryMs = 5 * 60_000;

interface SentLeaseRequest extends PowerLeaseRequest {
  /** See `holdLease`. */
  readonly sentAt: number;
}

interface Performance {
  readonly action: PowerAction;
  /** The game does not run. */
  readonly isStartOnly: boolean;
  readonly stopping: AbortSignal;
}

/** On any replica; the lease in the server's document excludes the others. */
export class PowerService {
  readonly exits: ExitHandler;
  /** By server id. */
  readonly #postponed = new Map<string, number>();

  constructor(private readonly deps: GameDeps) {
    this.exits = new ExitHandler(deps);
  }

  /**
   * Resolves with the action's id at acceptance. Throws SERVER_NOT_FOUND, SERVER_LOCKED, SERVER_SUSPENDED,
   * INSTALL_FAILED, ALREADY_RUNNING, ALREADY_OFFLINE.
   */
  async request(server: GameServer, action: PowerAction): Promise<string> {
    const id = randomUUID();
    let current: GameServer | null = server;
    for (let tries = 0; tries < maxAcceptTries; tries++) {
      checkPowerAction(current, action, this.deps.clock());
      const wasOffline = current.power.state === 'offline';
      const request = this.#leaseRequest(id, action);
      const accepted = await this.deps.servers.power.accept(server.id, request);
      if (accepted) {
        this.#carryOut(accepted, request, { isStartOnly: wasOffline && action !== 'kill', isAutomatic: false });
        return id;
      }
      current = await this.deps.servers.get(server.id);
      if (!current) throw serverNotFound();
    }
    throw fail('SERVER_LOCKED', 'other power actions are faster', { action });
  }

  /** If still wanted. */
  async startWanted(serverId: string): Promise<void> {
    const request = this.#leaseRequest(randomUUID(), 'start');
    const accepted = await this.deps.servers.power.acceptAutomaticStart(serverId, request);
    if (accepted) this.#carryOut(accepted, request, { isStartOnly: true, isAutomatic: true });
  }

  /** From a dead worker. */
  async takeOver(serverId: string): Promise<void> {
    const server = await this.deps.servers.get(serverId);
    if (!server?.power.lease) return;
    const { id, action } = server.power.lease;
    const request = this.#leaseRequest(randomUUID(), action);
    const taken = await this.deps.servers.power.takeOver(serverId, id, request);
    if (!taken) return;
    this.deps.log.warn({ serverId, action }, 'taking over a power action whose worker has died');
    // After its stop a restart is a start, even if the game is ready.
    this.#carryOut(taken, request, { isStartOnly: taken.power.state !== 'stopping', isAutomatic: true });
  }

  /**
   * Resolves once the game has ended, or if `ground` does not hold; `desired` stays. `graceMs` 0 kills. Throws
   * NODE_UNREACHABLE.
   */
  async forceStop(server: GameServer, graceMs: number, ground: StopGround): Promise<void> {
    const request = this.#leaseRequest(randomUUID(), 'stop');
    const taken = await this.deps.servers.power.acceptForcedStop(server.id, request, ground);
    if (!taken) return;
    const { runtime } = await this.#nodeOf(taken);
    const lease = new PowerLease(this.deps, server.id, request.id, request.sentAt);
    try {
      if (graceMs > 0) await stopGame(this.deps, lease, taken, runtime, graceMs);
      else await runtime.kill(server.id);
      await this.#ended(taken, request.id);
    } finally {
      await lease.stop();
    }
  }

  /** The node's watcher retries failures. */
  stopSuspended(server: GameServer): void {
    if (server.power.state === 'offline') return;
    this.deps.tasks.run('suspend', (stopping) =>
      raceAbort(this.forceStop(server, this.graceMsOf(server), { kind: 'suspended' }), stopping),
    );
  }

  graceMsOf(server: Pick<GameServer, 'egg' | 'runSettings'>): number {
    return stopGraceMsOf(server, this.deps.settings.stopGraceMs);
  }

  #leaseRequest(id: string, action: PowerAction): SentLeaseRequest {
    return { id, action, owner: this.deps.owner, ttlMs: this.deps.settings.workTtlMs, sentAt: monotonicClock.now() };
  }

  #carryOut(
    server: GameServer,
    { id: leaseId, action, sentAt }: SentLeaseRequest,
    { isStartOnly, isAutomatic }: { readonly isStartOnly: boolean; readonly isAutomatic: boolean },
  ): void {
    this.deps.tasks.run(`power.${action}`, async (stopping) => {
      const lease = new PowerLease(this.deps, server.id, leaseId, sentAt);
      try {
        await raceAbort(this.#perform(server, lease, { action, isStartOnly, stopping }), stopping);
        this.#postponed.delete(server.id);
      } catch (error) {
        if (stopping.aborted) await lease.release();
        else if (await this.#isStopPending(server.id, leaseId, action, error))
          this.#waitForEngine(server.id, action, error);
        else if (isAutomatic && isStart(action)) await this.#startFailed(server, leaseId, error);
        else await this.#failed(server, leaseId, action, error);
      } finally {
        await lease.stop();
      }
    });
  }

  async #perform(server: GameServer, lease: PowerLease, { action, isStartOnly, stopping }: Performance): Promise<void> {
    const { runtime } = await this.#nodeOf(server);
    const start = async () =>
      retryUntilAvailable(this.deps, { server, lease, action, stopping }, async (current) =>
        this.#start(current, lease),
      );
    switch (action) {
      case 'start':
        return start();
      case 'stop':
        await stopGame(this.deps, lease, server, runtime, this.graceMsOf(server));
        return this.#ended(server, lease.id);
      case 'restart':
        if (!isStartOnly) await stopGame(this.deps, lease, server, runtime, this.graceMsOf(server));
        await lease.check();
        return start();
      case 'kill':
        // After a process suspension there may be a later run.
        await lease.check();
        await runtime.kill(server.id);
        return this.#ended(server, lease.id);
      default:
        return assertNever(action);
    }
  }

  async #start(server: GameServer, lease: PowerLease): Promise<void> {
    const { node, runtime } = await this.#nodeOf(server);
    await this.deps.hub.find(server.id)?.readToEnd(1_000);
    const running = await runtime.inspect(server.id);
    // A dead worker, or one that lost the engine, may have got this far; the game may be ready.
    if (
      running?.state === 'running' &&
      running.generation === server.power.generation &&
      server.power.state !== 'stopping'
    ) {
      // Its start may lack its end, without which the game does not begin.
      await runtime.start(server.id);
      await this.deps.hub.attach(runtime, [{ serverId: server.id, generation: running.generation }]);
      await this.deps.servers.power.release(server.id, lease.id);
      return;
    }
    const generation = await startGame(this.deps, lease, server, node, runtime);
    await this.exits.checkAfterStart(server.id, generation, runtime);
  }

  /**
   * The last lines precede the state. `desired` was written at the stop's acceptance: the game restarts even if another
   * process finishes the stop.
   */
  async #ended(server: GameServer, leaseId: string): Promise<void> {
    await this.deps.hub.find(server.id)?.readToEnd(2_000);
    this.deps.failpoint('stop.ended');
    await this.deps.servers.power.finish(server.id, leaseId);
  }

  /**
   * An unreachable engine blocks the stop of a restart: the game may run, the server is not offline. The node's watcher
   * continues after the lease expires.
   */
  async #isStopPending(serverId: string, leaseId: string, action: PowerAction, error: unknown): Promise<boolean> {
    if (action !== 'restart' || !isAppError(error, 'NODE_UNREACHABLE')) return false;
    const [state] = await this.deps.servers.states([serverId]);
    return state?.power.lease?.id === leaseId && state.power.state === 'stopping';
  }

  #waitForEngine(serverId: string, action: PowerAction, error: unknown): void {
    this.deps.log.warn({ err: error, serverId, action }, 'a power action waits for the container engine');
    this.deps.hub.console(serverId).notice(`${action} waits for the container engine, which does not answer`);
  }

  async #failed(server: GameServer, leaseId: string, action: PowerAction, error: unknown): Promise<void> {
    if (isAppError(error, 'LEASE_LOST')) return;
    this.deps.log.warn({ err: error, serverId: server.id, action }, 'a power action failed');
    const { servers, hub, activity } = this.deps;
    const why = describeFailure(error);
    // Before the notice: who reads it may start again at once.
    const hasEnded = isStart(action) && (await servers.power.finishFailedStart(server.id, leaseId, why));
    hub.console(server.id).notice(`${action} failed: ${why}`);
    if (hasEnded) {
      await activity.record({ event: 'server:start.failed', serverId: server.id, properties: { error: why } }, null);
    }
    // The lease expires: the node's watcher retries until the engine answers.
  }

  /**
   * Automatic starts retry with back-off, except after permanent failures: no disk space, an invalid startup, an image
   * that is invalid or of another processor, the end of a user's wait.
   */
  async #startFailed(server: GameServer, leaseId: string, error: unknown): Promise<void> {
    if (isAppError(error, 'LEASE_LOST')) return;
    const { servers, hub, log } = this.deps;
    log.warn({ err: error, serverId: server.id }, 'an automatic start failed');
    const isFinal =
      isAppError(error, 'DISK_FULL', 'IMAGE_WRONG_PLATFORM', 'START_TIMED_OUT') ||
      (isAppError(error) && error.kind === 'invalid_argument');
    if (isFinal) return this.#failed(server, leaseId, 'start', error);
    const failures = this.#postponed.get(server.id) ?? 0;
    this.#postponed.set(server.id, failures + 1);
    const delayMs = Math.min(retryMs * 2 ** Math.min(failures, 10), maxRetryMs);
    hub.console(server.id).notice(`start failed: ${describeFailure(error)}: trying again in ${delayMs / 1000} s`);
    const until = new Date(this.deps.clock().getTime() + delayMs);
    await servers.power.postponeStart(server.id, leaseId, until, describeFailure(error));
  }

  async #nodeOf(server: GameServer): Promise<{ node: GameNode; runtime: Runtime }> {
    const node = await this.deps.nodes.get(server.nodeId);
    if (!node) throw fail('NODE_NOT_FOUND', 'the node of this server no longer exists', { node_id: server.nodeId });
    return { node, runtime: this.deps.runtimes.of(node) };
  }
}

function isStart(action: PowerAction): boolean {
  return action === 'start' || action === 'restart';
}
