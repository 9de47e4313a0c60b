import { setTimeout as wait } from 'node:timers/promises';
import { KeyedMutex } from '@panel/kit/async';
import { assertNever, isAppError, messageOf } from '@panel/kit/errors';
import type { GetDataRootResponse } from '@panel/protos/files';
import { addressKeyOf, type MachineKeys, machineKeyOf } from '../domain/nodes/machine.js';
import { clockOffsetMs, describeClocks } from '../domain/nodes/clock-offset.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { ServerState } from '../models/servers/server.js';
import type { NodeDeps } from './dependencies.js';
import type { GameExit } from '../games/exit-handler.js';
import type { PowerService } from '../games/power-service.js';
import type { Machine, Runtime, RuntimeEvent } from '@panel/runtime';
import { applyAutoStart } from './apply-auto-start.js';
import { PausedGames } from './paused-games.js';
import { removeLeft } from './remove-left.js';
import { reconcileNode, reconcileRunning } from './reconcile.js';

const healthMs = 10_000;
const clockMs = 60_000;
const stopMs = 1_000;
const minRetryMs = 500;
const maxRetryMs = 10_000;
/** Engine events begin shortly after their subscription; a second reconciliation covers the gap. */
const settleEventsMs = 1_500;
const maxReasonLength = 300;
/** Failed checks in a row. */
const filesPatience = 2;
/** Interval of unchanged health, below its staleness limit. */
const healthWriteMs = 20_000;

interface Trouble {
  /** For operators; null: none. */
  readonly reason: string | null;
  readonly problem: string | null;
}

interface Clocks {
  readonly filesClockMs: number | null;
  readonly engineClockMs: number | null;
}

/** Watches one leased node: engine events, reconciliation, health. */
export class NodeWatcher {
  readonly #abort = new AbortController();
  readonly #done: Promise<unknown>;
  readonly #paused: PausedGames;
  /** Events are serial per server, parallel across servers: an engine can end all at once. */
  readonly #eventsOf = new KeyedMutex();
  #isReachable = false;
  /** Failed contacts: a success that began before one proves nothing. */
  #failures = 0;
  /** In the order of the contacts. */
  #writing: Promise<void> = Promise.resolve();
  /** The engine was unreachable since the last reconciliation. */
  #wasUnreachable = true;
  #lastSeenAt: Date | null;
  /** Why the files there are not this node's. */
  #unusable: unknown = null;
  /** By the last answer; no answer so far says nothing. */
  #isDatabaseCurrent = false;
  /** Checks in a row without an answer of its files service. */
  #filesFailures = 0;
  #filesProblem: string | null = null;
  /** Asked again after each failure, and of another engine. */
  #machine: Machine | null = null;
  /** Recorded with the node. */
  #bound: MachineKeys | null = null;
  #machineProblem: string | null = null;
  #addresses: readonly string[] | null = null;
  /** Ahead of this process; null: not known. */
  #engineClockMs: number | null = null;
  #unknown: readonly string[] = [];
  /** Ended games of the last reconciliation, not yet handled. */
  #ended: ReadonlySet<string> = new Set();
  #reconciling: Promise<void> | null = null;
  #reconcileTimer: NodeJS.Timeout | undefined;
  #markChecked = () => undefined as void;
  /** The first contact, or its failure, is recorded. */
  readonly checked = new Promise<void>((resolve) => {
    this.#markChecked = resolve;
  });
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
      this.#every(clockMs, signal, () => this.#readEngineClock()),
    ]);
  }

  get nodeId(): string {
    return this.node.id;
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  /**
   * The database knows all changes to the files there. Otherwise nothing is stopped or removed by its records: they may
   * be those of an older dump.
   */
  get isDatabaseCurrent(): boolean {
    return this.#isDatabaseCurrent;
  }

  /** The connection to the engine may have changed. */
  update(node: GameNode): void {
    if (node.engine.url !== this.node.engine.url) this.#machine = null;
    this.node = node;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#reconcileTimer);
    // A hanging engine call can outlast this process.
    await Promise.race([this.#done, wait(stopMs, undefined, { ref: false })]);
  }

  /** One at a time. */
  async reconcile(): Promise<void> {
    this.#reconciling ??= this.#reconcileOnce().finally(() => {
      this.#reconciling = null;
    });
    return this.#reconciling;
  }

  async #reconcileOnce(): Promise<void> {
    const failures = this.#failures;
    const wasUnreachable = this.#wasUnreachable;
    const ended = new Set<string>();
    const isDue = (serverId: string) => {
      ended.add(serverId);
      return wasUnreachable || this.#ended.has(serverId);
    };
    const look = { wasUnreachable, mayStop: this.#isDatabaseCurrent, isDue };
    const found = await reconcileNode(this.deps, this.power, this.node, this.#runtime(), look);
    const { instances } = found;
    const remaining = this.#isDatabaseCurrent
      ? await removeLeft(this.deps, this.nodeId, this.#runtime(), found.unknown)
      : found.unknown;
    const unknown = remaining.filter(({ isForeign }) => !isForeign).map(({ serverId }) => serverId);
    if (!wasUnreachable && [...ended].some((serverId) => !this.#ended.has(serverId))) this.#scheduleReconcile();
    this.#ended = ended;
    // After the first successful inspection, which finds games that ended meanwhile.
    if (wasUnreachable) {
      await applyAutoStart(this.deps, this.node, this.#runtime());
      if (failures === this.#failures) this.#wasUnreachable = false;
    }
    await this.#paused.review(this.#runtime(), instances);
    const hasNewUnknown = unknown.some((id) => !this.#unknown.includes(id));
    if (hasNewUnknown)
      this.deps.log.warn({ nodeId: this.nodeId, unknown }, 'instances that belong to no server are left alone');
    this.#unknown = unknown;
    await this.#reached(failures);
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
        await this.#failed(error).catch((cause: unknown) => this.deps.log.warn({ err: cause }, 'health not recorded'));
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

  /** A server that moved to another node is unaffected. */
  async #onExited(serverId: string, exit: GameExit): Promise<void> {
    const [state] = await this.deps.servers.states([serverId]);
    if (!state || state.nodeId === this.nodeId) await this.power.exits.handle(serverId, exit);
  }

  async #stateOf(serverId: string): Promise<ServerState | null> {
    const [state] = await this.deps.servers.states([serverId]);
    return state?.nodeId === this.nodeId ? state : null;
  }

  /** Another replica or an operator started it. */
  async #onStarted(serverId: string): Promise<void> {
    const runtime = this.#runtime();
    const state = await this.#stateOf(serverId);
    const instance = state ? await runtime.inspect(serverId) : null;
    if (!state || instance?.state !== 'running') return;
    await this.deps.hub.attach(runtime, [instance]);
    await reconcileRunning(this.deps, this.power, { runtime, state, instance, mayStop: this.#isDatabaseCurrent });
  }

  async #checkHealth(): Promise<void> {
    const dataRoot = await this.#checkDataRoot();
    const failures = this.#failures;
    try {
      await this.#runtime().ping();
      if (dataRoot) await this.#checkMachine(dataRoot);
    } catch (error) {
      return this.#failed(error);
    }
    await this.#reached(failures);
  }

  /**
   * Binds the node to its data root at the first contact. While the files service is unavailable the last answer holds. Null:
   * it does not answer, or its files cannot be used.
   */
  async #checkDataRoot(): Promise<GetDataRootResponse | null> {
    const { files, nodes } = this.deps;
    try {
      const found = await files.dataRoot(this.node);
      const bound = this.node.dataRootId || (await nodes.bindDataRoot(this.nodeId, found.dataRootId));
      this.#filesFailures = 0;
      this.#filesProblem = null;
      if (bound !== null) await files.assertUsable(bound, found);
      this.#unusable = null;
      // What waited for it goes on.
      if (!this.#isDatabaseCurrent) this.#scheduleReconcile();
      this.#isDatabaseCurrent = true;
      return found;
    } catch (error) {
      if (isAppError(error, 'NODE_UNREACHABLE', 'DATA_ROOT_GONE')) this.#unusable = error;
      else this.#filesFailed(error);
      if (isAppError(error) && error.metadata['problem'] === 'data_root_newer') this.#isDatabaseCurrent = false;
      return null;
    }
  }

  /** A node that turns out to be the machine of another one keeps its games, and gets no new servers. */
  async #checkMachine({ dataRootId, hostName, addresses }: GetDataRootResponse): Promise<void> {
    const { nodes, files } = this.deps;
    this.#machine ??= await this.#runtime().machine();
    // In a container, files services see addresses of their own.
    this.#addresses = hostName !== '' && hostName === this.#machine.hostName ? addresses : null;
    const addressKey = addressKeyOf(this.node, files.addressOf(this.node));
    const keys = { addressKey, machineKey: machineKeyOf(this.#machine.engineId, dataRootId) };
    if (this.#bound?.addressKey === keys.addressKey && this.#bound.machineKey === keys.machineKey) return;
    try {
      await nodes.bindMachine(this.nodeId, keys);
      this.#bound = keys;
      this.#machineProblem = null;
    } catch (error) {
      if (!isAppError(error, 'NODE_EXISTS')) throw error;
      this.#bound = null;
      this.#machineProblem = `${messageOf(error)}: it gets no new servers`.slice(0, maxReasonLength);
    }
  }

  /** A restart is no problem. Games run on without it. */
  #filesFailed(error: unknown): void {
    this.deps.log.debug({ nodeId: this.nodeId, reason: messageOf(error) }, 'the data root of a node is not known');
    this.#filesFailures += 1;
    if (this.#filesFailures < filesPatience) return;
    const words = `its files service does not answer, and no server is installed or started: ${messageOf(error)}`;
    this.#filesProblem = words.slice(0, maxReasonLength);
  }

  /** Whether the engine answers is for others to say. */
  async #readEngineClock(): Promise<void> {
    const sentAt = Date.now();
    try {
      const time = await this.#runtime().systemTime();
      this.#engineClockMs = time && clockOffsetMs(time, sentAt, Date.now());
    } catch (error) {
      this.#engineClockMs = null;
      this.deps.log.debug({ nodeId: this.nodeId, reason: messageOf(error) }, 'the clock of an engine is not known');
    }
  }

  /** `failures`: before the contact. */
  async #reached(failures: number): Promise<void> {
    if (failures !== this.#failures) return;
    this.#lastSeenAt = this.deps.clock();
    await this.#observe(this.#unusable === null, this.#unusable);
  }

  async #failed(error: unknown): Promise<void> {
    this.#failures += 1;
    this.#machine = null;
    await this.#observe(false, error);
  }

  async #observe(isReachable: boolean, why: unknown): Promise<void> {
    const filesClockMs = this.deps.files.clockOffsetMs(this.node);
    const clocks = { filesClockMs, engineClockMs: this.#engineClockMs };
    const { reason, problem } = isReachable ? this.#ofReachable(clocks) : unreachable(why);
    const written = JSON.stringify([isReachable, reason, this.#unknown, this.#addresses]);
    if (written === this.#written && performance.now() - this.#writtenAt < healthWriteMs) return;
    this.#written = written;
    this.#writtenAt = performance.now();
    if (this.#isReachable !== isReachable)
      this.deps.log.info({ nodeId: this.nodeId, isReachable, reason }, 'the engine of a node');
    this.#isReachable = isReachable;
    const health = {
      isReachable,
      checkedAt: this.deps.clock(),
      lastSeenAt: this.#lastSeenAt,
      unknownInstances: this.#unknown,
      reason,
      problem,
      ...clocks,
      ...(this.#addresses && { addresses: this.#addresses }),
    };
    const write = this.#writing.then(async () => this.deps.nodes.setHealth(this.nodeId, health));
    this.#writing = write.catch(() => undefined);
    await write;
    this.#markChecked();
  }

  #ofReachable({ filesClockMs, engineClockMs }: Clocks): Trouble {
    if (this.#filesProblem !== null) return { reason: this.#filesProblem, problem: 'files_unreachable' };
    if (this.#machineProblem !== null) return { reason: this.#machineProblem, problem: 'machine_of_another_node' };
    const reason = describeClocks(filesClockMs, engineClockMs);
    return { reason, problem: reason === null ? null : 'clock_differs' };
  }

  async #every(intervalMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await task();
      } catch (error) {
        this.deps.log.warn({ nodeId: this.nodeId, reason: messageOf(error) }, 'a look at the node failed');
        await this.#failed(error).catch((cause: unknown) => this.deps.log.warn({ err: cause }, 'health not recorded'));
      }
      await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Messages of panel, engine or connection, for operators. */
function unreachable(error: unknown): Trouble {
  const { reason: detail, problem } = isAppError(error) ? error.metadata : {};
  const words = typeof detail === 'string' && detail !== '' ? `${messageOf(error)}: ${detail}` : messageOf(error);
  const isGone = isAppError(error, 'DATA_ROOT_GONE');
  return {
    reason: words.slice(0, maxReasonLength),
    problem: typeof problem === 'string' ? problem : isGone ? 'data_root_gone' : 'check_failed',
  };
}
