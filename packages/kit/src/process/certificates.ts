import { X509Certificate } from 'node:crypto';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.js';

/** PEM text, as the process has read it. */
type CertificateFiles = Readonly<Record<string, string | Buffer>>;

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Of a chain or bundle the earliest end; null: not readable. */
export function certificateEnd(pem: string | Buffer): Date | null {
  try {
    const ends = [...pem.toString().matchAll(pemBlock)].map(([block]) =>
      Date.parse(new X509Certificate(block).validTo),
    );
    return ends.length === 0 ? null : new Date(Math.min(...ends));
  } catch {
    return null; // there is one reason: a block is no certificate
  }
}

/** By the name of their variable, like GRPC_TLS_CERT. A renewed file counts once the process reads it. */
export function measureCertificates({ registry }: Pick<Metrics, 'registry'>, certificates: CertificateFiles): void {
  const name = 'certificate_end_timestamp_seconds';
  const known = registry.getSingleMetric(name) as Gauge | undefined;
  const gauge =
    known ??
    new Gauge({
      name,
      help: 'Unix time at which a TLS certificate that the process uses ends, by variable.',
      labelNames: ['certificate'],
      aggregator: 'min',
      registers: [registry],
    });
  for (const [certificate, pem] of Object.entries(certificates)) {
    const end = certificateEnd(pem);
    if (end !== null) gauge.set({ certificate }, end.getTime() / 1_000);
  }
}
