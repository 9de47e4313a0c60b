import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import { type MetricsPoint, meanOf, pointBetween, sumOf, type UsageCounters } from '../domain/metrics/point.js';
import { fineTier, minuteTier, stepOf } from '../domain/metrics/tiers.js';
import type { MetricsStore, MetricsWrite } from '../models/metrics/metrics.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { RunningServer, ServerStore } from '../models/servers/server.js';
import type { NodeFiles } from '../node-clients/files.js';
import type { Runtimes } from '../node-clients/runtimes.js';

/** Spreads writes over a minute. */
const turns = 6;
/** Slower nodes miss a sample. */
const sampleMs = 8_000;
const callsPerNode = 8;
/** Per server: ten minutes of a database outage. */
const maxPending = 60;

export interface MetricsSamplerOptions {
  readonly clock: () => Date;
  readonly log: Logger;
  readonly metrics: MetricsStore;
  readonly servers: Pick<ServerStore, 'runningOfNodes' | 'states'>;
  readonly nodes: Pick<NodeStore, 'getMany'>;
  readonly runtimes: Pick<Runtimes, 'of'>;
  readonly files: Pick<NodeFiles, 'recentUsage'>;
}

interface Series {
  before: UsageCounters | null;
  /** Unwritten, by fine step. */
  readonly pending: Map<number, MetricsPoint>;
  /** Of current minutes, by fine step. */
  readonly recent: Map<number, MetricsPoint>;
  /** Nodes: a game runs there. */
  isRunning: boolean;
  /** Sum of a node's games, under its id. */
  readonly isNode: boolean;
}

/** Samples every ten seconds, writes within a minute, and sums by node. A kill loses unwritten points. */
export class MetricsSampler {
  readonly #series = new Map<string, Series>();
  readonly #busyNodes = new Set<string>();
  #lastStep = -Infinity;

  constructor(private readonly options: MetricsSamplerOptions) {}

  /** Called every second. */
  async tick(nodeIds: readonly string[]): Promise<void> {
    const step = stepOf(fineTier, this.options.clock().getTime());
    if (step === this.#lastStep) return;
    this.#lastStep = step;
    await this.#sample(nodeIds, step);
    await this.#write((serverId, { isRunning }) => !isRunning || turnOf(serverId) === step % turns);
  }

  async flush(): Promise<void> {
    await this.#write(() => true);
  }

  async #sample(nodeIds: readonly string[], step: number): Promise<void> {
    const { nodes, servers } = this.options;
    const running = nodeIds.length === 0 ? [] : await servers.runningOfNodes(nodeIds);
    const byNode = new Map<string, RunningServer[]>();
    for (const server of running) byNode.set(server.nodeId, [...(byNode.get(server.nodeId) ?? []), server]);
    const active = new Set([...running.map(({ id }) => id), ...byNode.keys()]);
    for (const [id, series] of this.#series) series.isRunning = active.has(id);
    const known = byNode.size === 0 ? [] : await nodes.getMany([...byNode.keys()]);
    const sampling = known.map(async (node) => {
      await this.#sampleNode(node, byNode.get(node.id) ?? [], step);
    });
    await Promise.race([Promise.all(sampling), wait(sampleMs, undefined, { ref: false })]);
  }

  async #sampleNode(node: GameNode, servers: readonly RunningServer[], step: number): Promise<void> {
    if (this.#busyNodes.has(node.id)) return;
    this.#busyNodes.add(node.id);
    try {
      const remaining = servers.values();
      const points: MetricsPoint[] = [];
      const worker = async () => {
        for (const server of remaining) {
          const point = await this.#sampleServer(node, server, step).catch((error: unknown) => {
            this.options.log.debug({ err: error, serverId: server.id }, 'the usage of a server was not sampled');
            return null;
          });
          if (point) points.push(point);
        }
      };
      await Promise.all(Array.from({ length: callsPerNode }, worker));
      if (points.length > 0) addPoint(this.#seriesOf(node.id, true), step, sumOf(points));
    } catch (error) {
      this.options.log.debug({ err: error, nodeId: node.id }, 'the usage of a node was not sampled');
    } finally {
      this.#busyNodes.delete(node.id);
    }
  }

  async #sampleServer(node: GameNode, server: RunningServer, step: number): Promise<MetricsPoint | null> {
    const { runtimes, files } = this.options;
    const now = await runtimes.of(node).sampleUsage(server.id);
    const series = this.#seriesOf(server.id, false);
    if (now === null) {
      series.before = null;
      return null;
    }
    const point = pointBetween(series.before, now, files.recentUsage(node, server));
    series.before = now;
    addPoint(series, step, point);
    return point;
  }

  #seriesOf(id: string, isNode: boolean): Series {
    let series = this.#series.get(id);
    if (!series) {
      series = { before: null, pending: new Map(), recent: new Map(), isRunning: true, isNode };
      this.#series.set(id, series);
    }
    return series;
  }

  async #write(isDue: (serverId: string, series: Series) => boolean): Promise<void> {
    const due = [...this.#series].filter(([serverId, series]) => isDue(serverId, series));
    const stopped = due.filter(([, { isRunning, isNode }]) => !isRunning && !isNode);
    const gone = await this.#deletedOf(stopped.map(([serverId]) => serverId));
    const written = due.map(([serverId, series]) => ({ serverId, series, points: new Map(series.pending) }));
    await this.options.metrics.write(
      written
        .filter(({ serverId, points }) => points.size > 0 && !gone.has(serverId))
        .flatMap(({ serverId, series, points }) => writesOf(serverId, points, series.recent)),
    );
    for (const { serverId, series, points } of written) {
      for (const step of points.keys()) series.pending.delete(step);
      forgetFullMinutes(series.recent);
      if (!series.isRunning && series.pending.size === 0) this.#series.delete(serverId);
    }
  }

  /** Deleted servers get no writes. */
  async #deletedOf(serverIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (serverIds.length === 0) return new Set();
    const states = await this.options.servers.states(serverIds);
    const existing = new Set(states.map(({ id }) => id));
    return new Set(serverIds.filter((serverId) => !existing.has(serverId)));
  }
}

function addPoint({ pending, recent }: Series, step: number, point: MetricsPoint): void {
  for (const points of [pending, recent]) {
    points.set(step, point);
    for (const old of points.keys()) if (old <= step - maxPending) points.delete(old);
  }
}

const stepsPerMinute = minuteTier.stepMs / fineTier.stepMs;

function writesOf(
  serverId: string,
  pending: ReadonlyMap<number, MetricsPoint>,
  recent: ReadonlyMap<number, MetricsPoint>,
): MetricsWrite[] {
  const minuteOf = (step: number) => Math.floor(step / stepsPerMinute);
  const touched = new Set([...pending.keys()].map(minuteOf));
  const all = [...new Map([...recent, ...pending])];
  const minutes = [...touched].map(
    (minute) => [minute, meanOf(all.filter(([step]) => minuteOf(step) === minute).map(([, point]) => point))] as const,
  );
  return [
    { serverId, tier: fineTier, points: pending },
    { serverId, tier: minuteTier, points: new Map(minutes) },
  ];
}

/** Only the newest minute's mean can still change. */
function forgetFullMinutes(recent: Map<number, MetricsPoint>): void {
  const newest = Math.floor(Math.max(...recent.keys()) / stepsPerMinute);
  for (const step of recent.keys()) if (Math.floor(step / stepsPerMinute) < newest) recent.delete(step);
}

function turnOf(serverId: string): number {
  return Number.parseInt(serverId.slice(0, 8), 16) % turns;
}
