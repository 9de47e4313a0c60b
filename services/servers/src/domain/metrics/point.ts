/** NaN: unknown. */
export interface MetricsPoint {
  /** 100 is one core. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly networkRxBytesPerSecond: number;
  readonly networkTxBytesPerSecond: number;
}

/** Since the instance's start. */
export interface UsageCounters {
  /** Identifies the start. */
  readonly run: string;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly networkRxBytes: number;
  readonly networkTxBytes: number;
  readonly at: Date;
}

const metricNames = [
  'cpuPercent',
  'memoryBytes',
  'diskBytes',
  'networkRxBytesPerSecond',
  'networkTxBytesPerSecond',
] as const satisfies readonly (keyof MetricsPoint)[];

export const unknownPoint: MetricsPoint = {
  cpuPercent: NaN,
  memoryBytes: NaN,
  diskBytes: NaN,
  networkRxBytesPerSecond: NaN,
  networkTxBytesPerSecond: NaN,
};

/** Unknown values count as 0. */
export function sumOf(points: readonly MetricsPoint[]): MetricsPoint {
  const entries = metricNames.map((name) => {
    const known = points.map((point) => point[name]).filter((value) => !Number.isNaN(value));
    return [name, known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0)] as const;
  });
  return Object.fromEntries(entries) as unknown as MetricsPoint;
}

const bytesPerValue = 4;

/** 32-bit floats: 20 bytes, relative error below 1e-7. */
export function encodePoint(point: MetricsPoint): Buffer {
  const bytes = Buffer.alloc(metricNames.length * bytesPerValue);
  metricNames.forEach((name, index) => bytes.writeFloatLE(point[name], index * bytesPerValue));
  return bytes;
}

/** Unknown for another length. */
export function decodePoint(bytes: Uint8Array): MetricsPoint {
  if (bytes.length !== metricNames.length * bytesPerValue) return unknownPoint;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = metricNames.map((name, index) => [name, view.getFloat32(index * bytesPerValue, true)] as const);
  return Object.fromEntries(values) as unknown as MetricsPoint;
}

/** Unknown without an earlier sample of the same run. */
export function pointBetween(last: UsageCounters | null, now: UsageCounters, diskBytes: number | null): MetricsPoint {
  const before = last?.run === now.run ? last : null;
  const passedMs = before === null ? 0 : now.at.getTime() - before.at.getTime();
  const rate = (from: number | undefined, to: number) =>
    from === undefined || passedMs <= 0 || to < from ? NaN : (to - from) / passedMs;
  return {
    cpuPercent: rate(before?.cpuMs, now.cpuMs) * 100,
    memoryBytes: now.memoryBytes,
    diskBytes: diskBytes ?? NaN,
    networkRxBytesPerSecond: rate(before?.networkRxBytes, now.networkRxBytes) * 1_000,
    networkTxBytesPerSecond: rate(before?.networkTxBytes, now.networkTxBytes) * 1_000,
  };
}

/** Of the known values. */
export function meanOf(points: readonly MetricsPoint[]): MetricsPoint {
  const mean = (name: keyof MetricsPoint) => {
    const known = points.map((point) => point[name]).filter((value) => !Number.isNaN(value));
    return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  return Object.fromEntries(metricNames.map((name) => [name, mean(name)])) as unknown as MetricsPoint;
}
