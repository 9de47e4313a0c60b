import { Gauge } from 'prom-client';
import { messageOf } from '../errors/errors.js';
import type { Metrics } from './metrics.js';

export type ReadinessCheck = () => Promise<void>;

interface Readiness {
  /** Failing checks with reasons; "stopping" once stopped. */
  readonly failing: () => readonly string[];
  readonly stop: () => void;
}

interface ReadinessOptions {
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly onChange: (isReady: boolean, failing: readonly string[]) => void;
}

const intervalMs = 2_000;
const checkTimeoutMs = 3_000;

/** Runs `checks` every 2 s, each with a 3 s deadline; their metric is `dependency_up`. */
export async function startReadiness(
  checks: Readonly<Record<string, ReadinessCheck>>,
  { metrics, onChange }: ReadinessOptions,
): Promise<Readiness> {
  const up = new Gauge({
    name: 'dependency_up',
    help: '1 while what the process needs answers, by its name in /readyz.',
    labelNames: ['dependency'],
    aggregator: 'min',
    registers: [metrics.registry],
  });
  let failing: readonly string[] = ['starting'];
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        const failure = await failureOf(name, check);
        up.set({ dependency: name }, failure === null ? 1 : 0);
        return failure;
      }),
    );
    if (isStopped) return;
    const before = failing.length === 0;
    failing = results.filter((result) => result !== null);
    if (before !== (failing.length === 0)) onChange(failing.length === 0, failing);
    timer = setTimeout(() => void round(), intervalMs).unref();
  };
  await round();
  return {
    failing: () => failing,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      failing = ['stopping'];
    },
  };
}

async function failureOf(name: string, check: ReadinessCheck): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs);
  });
  try {
    await Promise.race([check(), timeout]);
    return null;
  } catch (error) {
    return `${name}: ${messageOf(error)}`;
  } finally {
    clearTimeout(timer);
  }
}
