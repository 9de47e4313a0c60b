import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createProxyCheck, normalizeIp, rateKeyOfIp } from '@panel/kit/net';
import type { Logger } from '@panel/kit/process';

export interface ConnectionLimits {
  /** Includes console sockets. */
  readonly total: number;
  /** Per address (IPv6: /64). */
  readonly perAddress: number;
}

interface ConnectionLimitsOptions {
  readonly limits: ConnectionLimits;
  /** Exempt from the address limit. */
  readonly trustedProxies: readonly string[];
  readonly log: Logger;
  /** Per refused connection. */
  readonly onRefused: () => void;
}

const warnIntervalMs = 10_000;
const closeIdleIntervalMs = 1_000;

/**
 * Refuses connections beyond `total`, or an address's part, before they cost memory and descriptors. At the total,
 * closes idle connections.
 */
export function limitConnections(server: Server, options: ConnectionLimitsOptions): void {
  const { limits, log, onRefused } = options;
  const isProxy = createProxyCheck(options.trustedProxies);
  const open = new Map<string, number>();
  // Repeats for sockets with ignored upgrade offers (ws/upgrade.ts).
  const counted = new WeakSet<Socket>();
  const warn = throttle(warnIntervalMs, (reason: string) => log.warn({ ...limits, reason }, 'connections are refused'));
  const closeIdle = throttle(closeIdleIntervalMs, () => server.closeIdleConnections());
  const refused = (reason: string) => {
    onRefused();
    warn(reason);
  };
  server.maxConnections = limits.total;
  server.on('drop', () => {
    refused('the total is reached');
    closeIdle('');
  });
  server.on('connection', (socket: Socket) => {
    const ip = normalizeIp(socket.remoteAddress ?? '');
    if (ip === null || isProxy(ip) || counted.has(socket)) return;
    counted.add(socket);
    const key = rateKeyOfIp(ip);
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    socket.once('close', () => {
      const remaining = (open.get(key) ?? 0) - 1;
      if (remaining > 0) open.set(key, remaining);
      else open.delete(key);
    });
    if (count <= limits.perAddress) return;
    refused(`the limit of ${ip} is reached`);
    socket.destroy();
  });
}

/** Drops calls in between. */
function throttle(intervalMs: number, work: (reason: string) => void): (reason: string) => void {
  let last = -Infinity;
  return (reason) => {
    const calledAt = performance.now();
    if (calledAt - last < intervalMs) return;
    last = calledAt;
    work(reason);
  };
}
