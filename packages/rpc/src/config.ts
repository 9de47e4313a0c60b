import { ConfigError, listenAddress, secret, type TracingOptions } from '@panel/kit/process';
import { z } from 'zod';
import type { TransportName } from './types.js';

/** `host:port`, or `dns:///name:port` to balance over all addresses of a name. */
export const grpcTarget = z.string().regex(/^\S+:\d{1,5}$/, 'must look like 127.0.0.1:7101 or dns:///identity:7101');

export const commonVariables = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('least severe level that is logged'),
  METRICS_LISTEN: listenAddress
    .default('127.0.0.1:0')
    .describe('host:port of /metrics, /healthz and /readyz; port 0 takes any free one'),
  SERVICE_SECRET: secret.describe('the secret all services share; make one with: openssl rand -base64 48'),
  GRPC_TLS_CERT: z.string().optional().describe('PEM file of the certificate for mutual TLS between the processes'),
  GRPC_TLS_KEY: z.string().optional().describe('PEM file of its key'),
  GRPC_TLS_CA: z.string().optional().describe('PEM file of the authority that signs all certificates'),
  GRPC_TRANSPORT: z
    .enum(['multiplexed', 'native'])
    .default('multiplexed')
    .describe('how unary calls between processes travel: over one stream per replica, or each as a gRPC call'),
  TEST_CLOCK: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'whether staff may move the time of the installation, which must have begun with it: for tests and staging only',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'OpenTelemetry collector that gets traces, like http://127.0.0.1:4318; without it they are only passed on',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('share of the traces that it gets, 0 to 1'),
};

export interface CommonConfig {
  readonly logLevel: string;
  readonly metricsListen: string;
  readonly serviceSecret: string;
  readonly tls: TlsFiles | null;
  /** Transport of internal calls. */
  readonly transport: TransportName;
  /** Staff may move the time: for tests and staging. */
  readonly testClock: boolean;
  /** Null: no tracing. */
  readonly tracing: Pick<TracingOptions, 'endpoint' | 'ratio'> | null;
}

/** PEM files for mutual TLS between the processes. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

export function commonConfig(parsed: {
  LOG_LEVEL: string;
  METRICS_LISTEN: string;
  SERVICE_SECRET: string;
  GRPC_TLS_CERT?: string | undefined;
  GRPC_TLS_KEY?: string | undefined;
  GRPC_TLS_CA?: string | undefined;
  GRPC_TRANSPORT: TransportName;
  TEST_CLOCK: 'true' | 'false';
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG: number;
}): CommonConfig {
  const endpoint = parsed.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    logLevel: parsed.LOG_LEVEL,
    metricsListen: parsed.METRICS_LISTEN,
    serviceSecret: parsed.SERVICE_SECRET,
    tls: tlsFiles(parsed.GRPC_TLS_CERT, parsed.GRPC_TLS_KEY, parsed.GRPC_TLS_CA),
    transport: parsed.GRPC_TRANSPORT,
    testClock: parsed.TEST_CLOCK === 'true',
    tracing: endpoint === undefined ? null : { endpoint, ratio: parsed.OTEL_TRACES_SAMPLER_ARG },
  };
}

function tlsFiles(certFile?: string, keyFile?: string, caFile?: string): TlsFiles | null {
  if (!certFile && !keyFile && !caFile) return null;
  if (certFile && keyFile && caFile) return { certFile, keyFile, caFile };
  throw new ConfigError(['GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA go together: set all three, or none']);
}

/** For services with a database, beside `commonVariables`. */
export const serviceVariables = {
  ...commonVariables,
  LISTEN: listenAddress.default('127.0.0.1:0').describe('host:port of the gRPC server; port 0 takes any free one'),
  MONGO_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+/, 'must be a mongodb:// address that ends in a database name')
    .describe("address of this service's MongoDB database, like mongodb://127.0.0.1:27017/identity"),
};

export interface ServiceConfig extends CommonConfig {
  readonly listen: string;
  readonly mongoUrl: string;
}

export function serviceConfig(
  parsed: Parameters<typeof commonConfig>[0] & { LISTEN: string; MONGO_URL: string },
): ServiceConfig {
  return { ...commonConfig(parsed), listen: parsed.LISTEN, mongoUrl: parsed.MONGO_URL };
}
