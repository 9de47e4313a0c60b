export interface LoadRequest {
  /** Default: GET. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Latencies are also reported by kind. */
  readonly kind?: string;
}

/** Requests are drawn uniformly. */
export interface LoadJob {
  readonly listen: string;
  readonly requests: readonly LoadRequest[];
  readonly seconds: number;
  /** Of a closed loop: each connection sends its next request after its last response. */
  readonly connections: number;
  /** Of a closed loop: minimum count of responses. */
  readonly atLeast: number;
  /** An open loop in place of the closed one: requests per second, at the times of a Poisson process. */
  readonly rate?: number;
}

export interface Latencies {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Of an open loop, latencies count from the intended start, so that a late sender hides no waiting time. */
export interface LoadResult extends Latencies {
  readonly seconds: number;
  /** Statuses that are not 2xx, by count. */
  readonly failures: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, Latencies>>;
}
