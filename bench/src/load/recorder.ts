import type { Latencies, LoadResult } from './job.js';

/** Latencies and statuses of one job. */
export class Recorder {
  readonly #all: number[] = [];
  readonly #byKind = new Map<string, number[]>();
  readonly #failures: Record<string, number> = {};
  readonly #begin = performance.now();

  get count(): number {
    return this.#all.length;
  }

  add(latencyMs: number, status: string, kind: string | undefined): void {
    this.#all.push(latencyMs);
    if (!status.startsWith('2')) this.#failures[status] = (this.#failures[status] ?? 0) + 1;
    if (kind === undefined) return;
    const same = this.#byKind.get(kind) ?? [];
    this.#byKind.set(kind, same);
    same.push(latencyMs);
  }

  result(): LoadResult {
    return {
      ...latenciesOf(this.#all),
      seconds: (performance.now() - this.#begin) / 1_000,
      failures: this.#failures,
      kinds: Object.fromEntries([...this.#byKind].map(([kind, latencies]) => [kind, latenciesOf(latencies)])),
    };
  }
}

export function latenciesOf(latencies: readonly number[]): Latencies {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { requests: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}
