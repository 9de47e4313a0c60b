import type { Metrics } from '@panel/kit/process';
import { Histogram } from 'prom-client';

export interface CallTimers {
  /** Call the result with the status name at the end. */
  start(path: string): (code: string) => void;
}

export function createCallTimers(registry: Metrics['registry']): CallTimers {
  const durations = new Histogram({
    name: 'grpc_server_call_duration_seconds',
    help: 'Duration of served gRPC calls by method and status.',
    labelNames: ['method', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  return {
    start: (method) => {
      const end = durations.startTimer({ method });
      return (code) => void end({ code });
    },
  };
}
