import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@panel/kit';
import { createProxyCheck, normalizeIp, rateKeyOfIp } from './client-ip.js';

export interface ConnectionLimits {
  /** Open connections of this process, console sockets among them. */
  readonly total: number;
  /** Of one address (IPv6: one /64). */
  readonly perAddress: number;
}

export interface ConnectionLimitsOptions {
  readonly limits: ConnectionLimits;
  /** Behind these are many clients: the limit of one address is not for them. */
  readonly trustedProxies: readonly string[];
  readonly log: Logger;
  /** Told of every connection that was turned away. */
  readonly onRefused: () => void;
}

const warnIntervalMs = 10_000;
const makeRoomIntervalMs = 1_000;

/**
 * Turn connections away before they cost memory and file descriptors: all beyond `total`, and those of one address beyond
 * its part, so that nobody alone can take the places of everybody. Where the places run out, idle ones are given up.
 */
export function limitConnections(server: Server, options: ConnectionLimitsOptions): void {
  const { limits, log, onRefused } = options;
  const isProxy = createProxyCheck(options.trustedProxies);
  const open = new Map<string, number>();
  const warn = atMostEvery(warnIntervalMs, (reason: string) =>
    log.warn({ ...limits, reason }, 'connections are refused'),
  );
  const makeRoom = atMostEvery(makeRoomIntervalMs, () => server.closeIdleConnections());
  const refused = (reason: string) => {
    onRefused();
    warn(reason);
  };
  server.maxConnections = limits.total;
  server.on('drop', () => {
    refused('all places are taken');
    makeRoom('');
  });
  server.on('connection', (socket: Socket) => {
    const ip = normalizeIp(socket.remoteAddress ?? '');
    if (ip === null || isProxy(ip)) return;
    const key = rateKeyOfIp(ip);
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    socket.once('close', () => {
      const left = (open.get(key) ?? 0) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
    if (count <= limits.perAddress) return;
    refused(`too many of ${ip}`);
    socket.destroy();
  });
}

/** `work`, skipped while the last time was less than `intervalMs` ago. */
function atMostEvery(intervalMs: number, work: (reason: string) => void): (reason: string) => void {
  let last = -Infinity;
  return (reason) => {
    const now = performance.now();
    if (now - last < intervalMs) return;
    last = now;
    work(reason);
  };
}
