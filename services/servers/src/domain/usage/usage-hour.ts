import { count, date, flag, id, type RecordOf } from '@panel/kit/records';

export const usageHourFields = {
  serverId: id,
  /** Start, UTC. */
  hour: date,
  sampledAt: date,
  /** State at `sampledAt`. */
  isOn: flag,
  generation: count,
  /** Engine counter, from the generation's start. */
  networkBytes: count,
  runningMs: count,
  /** Memory limit × running time. */
  memoryMbMs: count,
  diskMbMs: count,
  trafficBytes: count,
};
export type UsageHour = RecordOf<typeof usageHourFields>;

export interface UsageSample {
  readonly at: Date;
  /** Starting, running or stopping. */
  readonly isOn: boolean;
  readonly changedAt: Date;
  readonly generation: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Null: not read. */
  readonly networkBytes: number | null;
}

const hourMs = 3_600_000;
/** Longer gaps are not counted. */
const maxGapMs = 30 * 60_000;

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

export function endOfHour({ hour }: Pick<UsageHour, 'hour'>): Date {
  return new Date(hour.getTime() + hourMs);
}

export function openHour(
  serverId: string,
  from: Date,
  found: Pick<UsageHour, 'isOn' | 'generation' | 'networkBytes'>,
): UsageHour {
  const { isOn, generation, networkBytes } = found;
  const sums = { runningMs: 0, memoryMbMs: 0, diskMbMs: 0, trafficBytes: 0 };
  return { serverId, hour: hourOf(from), sampledAt: from, isOn, generation, networkBytes, ...sums };
}

/** The sample is later. */
export function closeHour(hour: UsageHour, sample: UsageSample): UsageHour {
  return countUntil(hour, sample, endOfHour(hour));
}

/** The sample is within the hour. */
export function countSample(hour: UsageHour, sample: UsageSample): UsageHour {
  const counted = countUntil(hour, sample, sample.at);
  const { isOn, generation, networkBytes } = sample;
  const found = { ...counted, isOn, generation };
  if (networkBytes === null) return generation === hour.generation ? found : { ...found, networkBytes: 0 };
  const isContinued = generation === hour.generation && networkBytes >= hour.networkBytes;
  const traffic = isContinued ? networkBytes - hour.networkBytes : networkBytes;
  return { ...found, networkBytes, trafficBytes: counted.trafficBytes + traffic };
}

function countUntil(hour: UsageHour, sample: UsageSample, until: Date): UsageHour {
  const elapsedMs = Math.max(0, until.getTime() - hour.sampledAt.getTime());
  const isKnown = sample.at.getTime() - hour.sampledAt.getTime() <= maxGapMs;
  const onMs = isKnown ? runningMsOf(hour, sample, until) : 0;
  return {
    ...hour,
    sampledAt: until > hour.sampledAt ? until : hour.sampledAt,
    runningMs: hour.runningMs + onMs,
    memoryMbMs: hour.memoryMbMs + onMs * sample.memoryMb,
    diskMbMs: hour.diskMbMs + (isKnown ? elapsedMs * sample.diskMb : 0),
  };
}

/** By both samples and the last power change. */
function runningMsOf(hour: UsageHour, sample: UsageSample, until: Date): number {
  const from = hour.sampledAt.getTime();
  const changed = sample.changedAt.getTime();
  const isSameRun = hour.isOn && hour.generation === sample.generation;
  const start = sample.isOn && !isSameRun ? Math.max(from, changed) : from;
  const end = sample.isOn ? until.getTime() : Math.min(until.getTime(), changed);
  return sample.isOn || hour.isOn ? Math.max(0, end - start) : 0;
}
