import { setTimeout as wait } from 'node:timers/promises';
import { KeyedMutex } from '@panel/kit/async';
import { assertNever, isAppError, messageOf } from '@panel/kit/errors';
import type { GameNode } from '../domain/nodes/node.js';
import type { ServerState } from '../models/servers/server.js';
import type { NodeDeps } from './deps.js';
import type { GameExit } from '../games/exit-handler.js';
import type { PowerService } from '../games/power-service.js';
import type { Runtime, RuntimeEvent } from '@panel/runtime';
import { applyAutoStart } from './apply-auto-start.js';
import { PausedGames } from './paused-games.js';
import { reconcileNode, reconcileRunning } from './reconcile.js';

const healthMs = 10_000;
const stopMs = 1_000;
const minRetryMs = 500;
const maxRetryMs = 10_000;
/** The engine's events begin a moment after they were asked for; what falls between is found by a second look. */
const settleEventsMs = 1_500;
/** Unchanged health is written this often: well within the time after which it counts as unknown. */
const healthWriteMs = 20_000;

/** Watches one node while this replica has its lease: events of the engine, reconciliation, health. */
export class NodeWatcher {
  readonly #abort = new AbortController();
  readonly #done: Promise<unknown>;
  readonly #paused: PausedGames;
  /** One event of a server after the other, those of different servers side by side: an engine can end all at once. */
  readonly #eventsOf = new KeyedMutex();
  #isReachable = false;
  /** Since the last reconciliation the engine could not be watched all the time. */
  #wasUnreachable = true;
  #lastSeenAt: Date | null;
  #unknown: readonly string[] = [];
  /** Games that the last look found ended while the panel said otherwise. */
  #ended: ReadonlySet<string> = new Set();
  #reconciling: Promise<void> | null = null;
  #reconcileTimer: NodeJS.Timeout | undefined;
  #written = '';
  #writtenAt = -Infinity;

  constructor(
    private readonly deps: NodeDeps,
    private readonly power: PowerService,
    private node: GameNode,
    reconcileMs: number,
  ) {
    this.#lastSeenAt = node.health.lastSeenAt;
    this.#paused = new PausedGames(deps);
    const { signal } = this.#abort;
    this.#done = Promise.all([
      this.#watch(signal),
      this.#every(reconcileMs, signal, () => this.reconcile()),
      this.#every(healthMs, signal, () => this.#checkHealth()),
    ]);
  }

  get nodeId(): string {
    return this.node.id;
  }

  /** Whether the engine answered when it was last asked. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** The node's document may have changed: the way to the engine with it. */
  update(node: GameNode): void {
    this.node = node;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#reconcileTimer);
    // A call to an engine that hangs has a longer deadline than this process.
    await Promise.race([this.#done, wait(stopMs, undefined, { ref: false })]);
  }

  /** Bring engine and database together now. One at a time. */
  async reconcile(): Promise<void> {
    this.#reconciling ??= this.#reconcileOnce().finally(() => {
      this.#reconciling = null;
    });
    return this.#reconciling;
  }

  async #reconcileOnce(): Promise<void> {
    const wasUnreachable = this.#wasUnreachable;
    const ended = new Set<string>();
    const isDue = (serverId: string) => {
      ended.add(serverId);
      return wasUnreachable || this.#ended.has(serverId);
    };
    const look = { wasUnreachable, isDue };
    const { unknown, instances } = await reconcileNode(this.deps, this.power, this.node, this.#runtime(), look);
    if (!wasUnreachable && [...ended].some((serverId) => !this.#ended.has(serverId))) this.#scheduleReconcile();
    this.#ended = ended;
    // Not before: the first inspection that succeeds finds what ended meanwhile.
    if (wasUnreachable) {
      await applyAutoStart(this.deps, this.node, this.#runtime());
      this.#wasUnreachable = false;
    }
    await this.#paused.review(this.#runtime(), instances);
    const hasNewUnknown = unknown.some((id) => !this.#unknown.includes(id));
    if (hasNewUnknown)
      this.deps.log.warn({ nodeId: this.nodeId, unknown }, 'instances that belong to no server are left alone');
    this.#unknown = unknown;
    await this.#reached(true);
  }

  #runtime(): Runtime {
    return this.deps.runtimes.of(this.node);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    for (let retryMs = minRetryMs; !signal.aborted; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      try {
        this.#scheduleReconcile();
        for await (const event of this.#runtime().watch(signal)) {
          retryMs = minRetryMs;
          this.#onEvent(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#wasUnreachable = true;
        this.deps.log.warn({ nodeId: this.nodeId, reason: messageOf(error) }, 'the engine cannot be watched');
        await this.#reached(false, error).catch((cause: unknown) =>
          this.deps.log.warn({ err: cause }, 'health not recorded'),
        );
      }
      await wait(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #scheduleReconcile(): void {
    clearTimeout(this.#reconcileTimer);
    this.#reconcileTimer = setTimeout(() => {
      this.reconcile().catch((error: unknown) =>
        this.deps.log.debug({ err: error, nodeId: this.nodeId }, 'reconciliation failed'),
      );
    }, settleEventsMs).unref();
  }

  #onEvent(event: RuntimeEvent): void {
    const { serverId, type } = event;
    void this.#eventsOf.run(serverId, async () => {
      try {
        await this.#handle(event);
      } catch (error) {
        this.deps.log.error({ err: error, serverId, event: type }, 'an event of the engine was not handled');
      }
    });
  }

  async #handle(event: RuntimeEvent): Promise<void> {
    switch (event.type) {
      case 'exited':
        return this.#onExited(event.serverId, event);
      case 'started':
        return this.#onStarted(event.serverId);
      case 'paused':
        if (await this.#stateOf(event.serverId)) this.#paused.saw(event.serverId);
        return;
      default:
        assertNever(event);
    }
  }

  /** The end of a game of a server that has moved to another node does not concern the server. */
  async #onExited(serverId: string, exit: GameExit): Promise<void> {
    const [state] = await this.deps.servers.states([serverId]);
    if (!state || state.nodeId === this.nodeId) await this.power.exits.handle(serverId, exit);
  }

  async #stateOf(serverId: string): Promise<ServerState | null> {
    const [state] = await this.deps.servers.states([serverId]);
    return state?.nodeId === this.nodeId ? state : null;
  }

  /** Another replica, or an operator's hand, has started it. */
  async #onStarted(serverId: string): Promise<void> {
    const runtime = this.#runtime();
    const state = await this.#stateOf(serverId);
    const instance = state ? await runtime.inspect(serverId) : null;
    if (!state || instance?.state !== 'running') return;
    await this.deps.hub.attach(runtime, [instance]);
    await reconcileRunning(this.deps, this.power, state, instance);
  }

  async #checkHealth(): Promise<void> {
    await this.#runtime()
      .ping()
      .then(
        () => this.#reached(true),
        (error: unknown) => this.#reached(false, error),
      );
  }

  async #reached(isReachable: boolean, why?: unknown): Promise<void> {
    const reason = isReachable ? null : unreachableReason(why);
    const now = this.deps.clock();
    if (isReachable) this.#lastSeenAt = now;
    const written = JSON.stringify([isReachable, reason, this.#unknown]);
    if (written === this.#written && performance.now() - this.#writtenAt < healthWriteMs) return;
    this.#written = written;
    this.#writtenAt = performance.now();
    if (this.#isReachable !== isReachable)
      this.deps.log.info({ nodeId: this.nodeId, isReachable, reason }, 'the engine of a node');
    this.#isReachable = isReachable;
    const health = {
      isReachable,
      checkedAt: now,
      lastSeenAt: this.#lastSeenAt,
      unknownInstances: this.#unknown,
      reason,
    };
    await this.deps.nodes.setHealth(this.nodeId, health);
  }

  async #every(intervalMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await task();
      } catch (error) {
        this.deps.log.warn({ nodeId: this.nodeId, reason: messageOf(error) }, 'a look at the node failed');
        await this.#reached(false, error).catch((cause: unknown) =>
          this.deps.log.warn({ err: cause }, 'health not recorded'),
        );
      }
      await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

const maxReasonLength = 300;

/** Our words and the engine's, or those of the connection to it: for operators. */
function unreachableReason(error: unknown): string {
  const detail = isAppError(error) ? error.metadata['reason'] : undefined;
  const words = typeof detail === 'string' && detail !== '' ? `${messageOf(error)}: ${detail}` : messageOf(error);
  return words.slice(0, maxReasonLength);
}
