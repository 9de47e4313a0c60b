import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '@panel/kit/errors';
import { createLogger, type Logger, type Metrics, type RunningProcess, startProbeServer } from '@panel/kit/process';
import { AggregatorRegistry } from 'prom-client';
import type { GatewayConfig } from './config.js';

/** Slows the restart of crashing workers. */
const restartPauseMs = 1_000;
/** Shorter than a process's stop time. */
const stopWaitMs = 8_000;

interface Ready {
  readonly type: 'ready';
  readonly listen: string;
}

/** GATEWAY_WORKERS: processes on one port. The primary starts and restarts them, and aggregates metrics. */
export async function startWorkers(config: GatewayConfig): Promise<RunningProcess> {
  const log = createLogger({ service: 'gateway', level: config.logLevel });
  const pool = new WorkerPool(log);
  const addresses = await Promise.all(Array.from({ length: config.workers }, async () => pool.start()));
  const failingChecks = () => (pool.ready === 0 ? ['workers: none is ready'] : []);
  const metrics = { registry: clusterRegistry() } as Metrics;
  const probes = await startProbeServer({ listen: config.metricsListen, metrics, failingChecks });
  return {
    addresses: { listen: addresses[0] ?? '', metrics: probes.address },
    log,
    stop: async () => {
      await pool.stop();
      await probes.stop();
    },
  };
}

/** For the probe server, over all workers. */
function clusterRegistry(): Metrics['registry'] {
  const all = new AggregatorRegistry();
  return Object.assign(all, { metrics: async () => all.clusterMetrics() }) as unknown as Metrics['registry'];
}

class WorkerPool {
  readonly #workers = new Set<Worker>();
  #isStopping = false;
  ready = 0;

  constructor(private readonly log: Logger) {
    // Workers accept connections themselves: one handed to a worker killed meanwhile would stay open forever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  }

  /** Resolves once it serves. Throws the worker's startup error. */
  async start(): Promise<string> {
    // The primary serves probes and metrics; workers use a free port.
    const worker = cluster.fork({ METRICS_LISTEN: '127.0.0.1:0' });
    this.#workers.add(worker);
    let said = '';
    worker.process.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    const ready = new Promise<Ready>((resolve) => {
      worker.on('message', (message: Partial<Ready>) => {
        if (message.type === 'ready') resolve(message as Ready);
      });
    });
    const exit = once(worker, 'exit').then(() => null);
    const first = await Promise.race([ready, exit]);
    if (first === null) {
      this.#workers.delete(worker);
      throw new AppError(
        'unavailable',
        'WORKER_FAILED',
        said.trim().replace(/^gateway: /, '') || 'a worker did not start',
      );
    }
    this.ready += 1;
    worker.process.stderr?.removeAllListeners('data').pipe(process.stderr);
    void exit.then(async () => this.#lost(worker));
    return first.listen;
  }

  async #lost(worker: Worker): Promise<void> {
    this.ready -= 1;
    this.#workers.delete(worker);
    while (!this.#isStopping) {
      this.log.error({ pid: worker.process.pid }, 'a worker died; another takes its place');
      await wait(restartPauseMs, undefined, { ref: false });
      if (this.#isStopping) return;
      try {
        await this.start();
        return;
      } catch (error) {
        this.log.error({ err: error }, 'a worker did not start');
      }
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const workers = [...this.#workers];
    const gone = workers.map(async (worker) => once(worker, 'exit'));
    for (const worker of workers) worker.process.kill('SIGTERM');
    const timeout = wait(stopWaitMs, undefined, { ref: false });
    await Promise.race([Promise.all(gone), timeout]);
    for (const worker of this.#workers) worker.process.kill('SIGKILL');
  }
}
