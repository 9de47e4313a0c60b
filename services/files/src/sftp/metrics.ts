import { Counter, Gauge, type Registry } from 'prom-client';

export interface SftpMetrics {
  readonly sessions: Gauge;
  readonly connections: Counter<'result'>;
  readonly bytes: Counter<'direction'>;
}

export function createSftpMetrics(registry: Registry): SftpMetrics {
  const registers = [registry];
  return {
    sessions: new Gauge({ name: 'sftp_sessions', help: 'SFTP connections that are signed in', registers }),
    connections: new Counter({
      name: 'sftp_connections_total',
      help: 'SFTP connections by how they ended before or at the sign-in: accepted, refused, limited, timed_out',
      labelNames: ['result'],
      registers,
    }),
    bytes: new Counter({
      name: 'sftp_bytes_total',
      help: 'bytes of files that were moved by SFTP: read or written',
      labelNames: ['direction'],
      registers,
    }),
  };
}
