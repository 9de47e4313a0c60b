import { pause } from '@panel/kit/async';
import { runtimeError } from '../reasons.js';
import type { InstanceStats, UsageSample } from '../runtime.js';
import { abortable, type StatsSample } from './abortable-calls.js';
import { describe, isLive } from './containers.js';
import { statusOf, unexpectedError, type Engine } from './engine.js';
import { readJsonLines } from './json-lines.js';

const reopenAfterMs = 500;

interface ContainerRun {
  readonly containerId: string;
  readonly generation: number;
  readonly startedAt: Date;
}

export async function* readContainerStats(
  engine: Engine,
  run: ContainerRun,
  signal: AbortSignal,
): AsyncGenerator<InstanceStats> {
  const { containerId, startedAt } = run;
  while (!signal.aborted) {
    try {
      yield* samples(engine, run, signal);
    } catch (error) {
      if (signal.aborted || statusOf(error) === 404) return;
      if (statusOf(error) !== null) throw unexpectedError(error);
    }
    if (signal.aborted || !(await isStillRunning(engine, containerId, startedAt))) return;
    await pause(reopenAfterMs, signal);
  }
}

async function* samples(engine: Engine, run: ContainerRun, signal: AbortSignal): AsyncGenerator<InstanceStats> {
  let before: StatsSample | null = null;
  const stream = await engine.openStream(
    async (docker, abortSignal) => abortable(docker).getContainer(run.containerId).stats({ stream: true, abortSignal }),
    { signal },
  );
  try {
    for await (const sample of readJsonLines<StatsSample>(stream)) {
      // The engine sends empty samples after a stop.
      if (!hasUsage(sample)) return;
      const whole: StatsSample = before === null ? sample : withBefore(sample, before);
      before = sample;
      yield { generation: run.generation, ...toStats(whole, run.startedAt) };
    }
  } finally {
    stream.destroy();
  }
}

/** One immediate sample; null when it does not run. */
export async function sampleContainer(engine: Engine, name: string): Promise<UsageSample | null> {
  try {
    const sample = await engine.call(async (docker, abortSignal) =>
      abortable(docker).getContainer(name).stats({ stream: false, 'one-shot': true, abortSignal }),
    );
    return hasUsage(sample) ? toUsage(sample) : null;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw unexpectedError(error);
  }
}

const nanosecondsPerMs = 1_000_000;

function toUsage(sample: StatsSample): UsageSample {
  const { memoryBytes, networkRxBytes, networkTxBytes, at } = toStats(sample, new Date(sample.read));
  return {
    run: sample.id ?? '',
    cpuMs: sample.cpu_stats.cpu_usage.total_usage / nanosecondsPerMs,
    memoryBytes,
    networkRxBytes,
    networkTxBytes,
    at,
  };
}

function hasBefore({ precpu_stats: before }: StatsSample): boolean {
  return Boolean((before as Partial<StatsSample['precpu_stats']> | undefined)?.system_cpu_usage);
}

function withBefore(sample: StatsSample, before: StatsSample): StatsSample {
  return hasBefore(sample) ? sample : { ...sample, precpu_stats: before.cpu_stats };
}

async function isStillRunning(engine: Engine, containerId: string, startedAt: Date): Promise<boolean> {
  const info = await describe(engine, containerId);
  return info !== null && isLive(info) && new Date(info.State.StartedAt).getTime() === startedAt.getTime();
}

function hasUsage(sample: StatsSample): boolean {
  return !sample.read.startsWith('0001-') && typeof sample.memory_stats?.usage === 'number';
}

function toStats(sample: StatsSample, startedAt: Date): Omit<InstanceStats, 'generation'> {
  const at = new Date(sample.read);
  if (Number.isNaN(at.getTime())) throw runtimeError('ENGINE_FAILED', 'the engine sent a sample without a time');
  const networks = Object.values(sample.networks ?? {});
  return {
    cpuPercent: cpuPercent(sample),
    memoryBytes: usedMemory(sample),
    memoryLimitBytes: sample.memory_stats?.limit ?? 0,
    networkRxBytes: networks.reduce((sum, each) => sum + each.rx_bytes, 0),
    networkTxBytes: networks.reduce((sum, each) => sum + each.tx_bytes, 0),
    uptimeMs: Math.max(0, at.getTime() - startedAt.getTime()),
    at,
  };
}

/** As `docker stats` (cli/command/container/stats_helpers.go), in cores. */
function cpuPercent(sample: StatsSample): number | null {
  if (!hasBefore(sample)) return null;
  const { cpu_stats: now, precpu_stats: before } = sample;
  const used = now.cpu_usage.total_usage - before.cpu_usage.total_usage;
  const passed = (now.system_cpu_usage ?? 0) - (before.system_cpu_usage ?? 0);
  const cores = now.online_cpus || (now.cpu_usage.percpu_usage?.length ?? 1);
  if (passed <= 0 || used <= 0) return 0;
  return (used / passed) * cores * 100;
}

/** Excludes droppable page cache: total_inactive_file in cgroup v1, inactive_file in v2. */
function usedMemory({ memory_stats: { usage = 0, stats } = {} }: StatsSample): number {
  const inactive = stats?.['total_inactive_file'] ?? stats?.['inactive_file'] ?? 0;
  return inactive < usage ? usage - inactive : usage;
}
