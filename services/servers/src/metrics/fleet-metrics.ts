import { certificateEnd, type Job, type Metrics } from '@panel/kit/process';
import { Counter, Gauge } from 'prom-client';
import type { NodeFacts } from '../domain/nodes/node.js';
import { areFilesUp, isEngineUp, nodeStatus, nodeStatuses } from '../domain/nodes/node-status.js';
import { endedOperationStates, type GameServer, operationKinds, serverStatuses } from '../domain/servers/server.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { ServerStore } from '../models/servers/server.js';

const intervalMs = 15_000;

interface FleetDeps {
  readonly nodes: Pick<NodeStore, 'facts'>;
  readonly servers: Pick<ServerStore, 'countByStatus'>;
  readonly clock: () => Date;
}

/** Every replica shows the same of nodes and servers, as the database has it; what it ended itself it counts. */
export class FleetMetrics {
  readonly #gauges: ReturnType<typeof createGauges>;
  readonly #ended: Counter;

  constructor({ registry }: Metrics) {
    this.#gauges = createGauges(registry);
    this.#ended = new Counter({
      name: 'servers_operations_ended_total',
      help: 'Operations of servers that this process has ended, by kind and outcome.',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
    for (const kind of operationKinds)
      for (const outcome of endedOperationStates) this.#ended.inc({ kind, outcome }, 0);
  }

  /** After a change by this process. The write that ends an operation sets both times. */
  observe({ endedOperations, updatedAt }: Pick<GameServer, 'endedOperations' | 'updatedAt'>): void {
    const [last] = endedOperations ?? [];
    if (last?.endedAt.getTime() === updatedAt.getTime()) this.#ended.inc({ kind: last.kind, outcome: last.state });
  }

  createJob(deps: FleetDeps): Job {
    return { name: 'measure-fleet', intervalMs, isTimed: false, run: async () => this.#measure(deps) };
  }

  /** Old values would hide an outage. */
  async #measure({ nodes, servers, clock }: FleetDeps): Promise<void> {
    try {
      const [facts, counts] = await Promise.all([nodes.facts(), servers.countByStatus()]);
      for (const gauge of Object.values(this.#gauges)) gauge.reset();
      for (const status of serverStatuses) this.#gauges.servers.set({ status }, counts.get(status) ?? 0);
      for (const node of facts) this.#show(node, clock());
    } catch (error) {
      for (const gauge of Object.values(this.#gauges)) gauge.reset();
      throw error;
    }
  }

  #show({ id, name, health, engine }: NodeFacts, now: Date): void {
    const labels = { node_id: id, node: name };
    const { status, engineUp, filesUp, clockOffset, certificateEnds } = this.#gauges;
    const current = nodeStatus(health, now);
    for (const one of nodeStatuses) status.set({ ...labels, status: one }, Number(one === current));
    const isUp = isEngineUp(health, now);
    if (isUp !== null) engineUp.set(labels, Number(isUp));
    const areUp = areFilesUp(health, now);
    if (areUp !== null) filesUp.set(labels, Number(areUp));
    for (const [part, offsetMs] of [
      ['files', health.filesClockMs],
      ['engine', health.engineClockMs],
    ] as const)
      if (typeof offsetMs === 'number') clockOffset.set({ ...labels, part }, offsetMs / 1_000);
    for (const [certificate, pem] of [
      ['tls_cert', engine.tlsCert],
      ['tls_ca', engine.tlsCa],
    ] as const) {
      const end = certificateEnd(pem);
      if (end !== null) certificateEnds.set({ ...labels, certificate }, end.getTime() / 1_000);
    }
  }
}

function createGauges(registry: Metrics['registry']) {
  const registers = [registry];
  const node = ['node_id', 'node'] as const;
  return {
    servers: new Gauge({ name: 'servers', help: 'Servers by status.', labelNames: ['status'], registers }),
    status: new Gauge({
      name: 'servers_node_status',
      help: '1 for the status of the node (online, offline, unknown), 0 for the others.',
      labelNames: [...node, 'status'],
      registers,
    }),
    engineUp: new Gauge({
      name: 'servers_node_engine_up',
      help: '1 while the container engine of the node answers; absent while no replica watches it.',
      labelNames: [...node],
      registers,
    }),
    filesUp: new Gauge({
      name: 'servers_node_files_up',
      help: '1 while the files service of the node answers; absent while the node is not online.',
      labelNames: [...node],
      registers,
    }),
    clockOffset: new Gauge({
      name: 'servers_node_clock_offset_seconds',
      help: 'How far the clock of a part of the node (files, engine) is ahead of the one of servers, at least.',
      labelNames: [...node, 'part'],
      registers,
    }),
    certificateEnds: new Gauge({
      name: 'servers_node_certificate_end_timestamp_seconds',
      help: 'Unix time at which a certificate for the engine of the node ends, by its field (tls_cert, tls_ca).',
      labelNames: [...node, 'certificate'],
      registers,
    }),
  };
}
