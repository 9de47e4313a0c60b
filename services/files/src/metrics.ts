import { Counter, Gauge, type Registry } from 'prom-client';

export interface TransferMetrics {
  readonly bytes: Counter<'direction' | 'way'>;
  readonly direct: Gauge<'kind'>;
  readonly refused: Counter<'reason'>;
}

export const readThroughGateway = { direction: 'read', way: 'gateway' };
export const writtenThroughGateway = { direction: 'written', way: 'gateway' } as const;
export const writtenDirectly = { direction: 'written', way: 'direct' } as const;

export function createQuotaMetrics(registry: Registry, mount: { readonly fileSystem: string } | null): void {
  const gauge = new Gauge({
    name: 'disk_quotas_held',
    help: '1: the kernel holds the disk limits of servers (project quotas), 0: they are watched only',
    registers: [registry],
  });
  gauge.set(mount ? 1 : 0);
}

export function createTransferMetrics(registry: Registry): TransferMetrics {
  const registers = [registry];
  return {
    bytes: new Counter({
      name: 'files_bytes_total',
      help: 'bytes of files and backups that were moved: read or written, through the gateway or direct (SFTP: sftp_bytes_total)',
      labelNames: ['direction', 'way'],
      registers,
    }),
    direct: new Gauge({
      name: 'direct_transfers',
      help: 'downloads and pieces of uploads that clients exchange with this process itself now',
      labelNames: ['kind'],
      registers,
    }),
    refused: new Counter({
      name: 'direct_refusals_total',
      help: 'direct requests that were refused, by reason',
      labelNames: ['reason'],
      registers,
    }),
  };
}
