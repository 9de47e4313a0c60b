import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials, ServerCredentials } from '@grpc/grpc-js';
import { messageOf } from '@panel/kit/errors';
import { ConfigError, measureCertificates, type Metrics } from '@panel/kit/process';
import type { TlsFiles } from './config.js';

/** Without files plain text, for one machine or a trusted mesh. */
export function serverCredentials(tls: TlsFiles | null): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const { ca, cert, key } = readPemFiles(tls);
  return ServerCredentials.createSsl(ca, [{ cert_chain: cert, private_key: key }], true);
}

export function clientCredentials(tls: TlsFiles | null): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const { ca, cert, key } = readPemFiles(tls);
  return credentials.createSsl(ca, key, cert);
}

/** Throws ConfigError. */
export function measureTls(metrics: Pick<Metrics, 'registry'>, tls: TlsFiles | null): void {
  if (!tls) return measureCertificates(metrics, {});
  const { ca, cert } = readPemFiles(tls);
  measureCertificates(metrics, { GRPC_TLS_CERT: cert, GRPC_TLS_CA: ca });
}

function readPemFiles(tls: TlsFiles): { ca: Buffer; cert: Buffer; key: Buffer } {
  try {
    return { ca: readFileSync(tls.caFile), cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
  } catch (error) {
    throw new ConfigError([`GRPC_TLS_CERT, GRPC_TLS_KEY or GRPC_TLS_CA cannot be read: ${messageOf(error)}`]);
  }
}
