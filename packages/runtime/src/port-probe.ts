import { createSocket } from 'node:dgram';
import { createServer, isIPv6 } from 'node:net';
import { pause } from '@panel/kit/async';
import { runtimeError } from './reasons.js';

export interface HostPort {
  readonly ip: string;
  readonly port: number;
}

export interface OccupiedPort extends HostPort {
  readonly protocol: 'tcp' | 'udp';
}

/** Engines close their proxies shortly after the game's end. */
const freeingMs = 1_500;
const retryMs = 100;

/** The first local port in use, or null. Throws ADDRESS_NOT_ON_NODE. */
export async function findOccupiedPort(ports: readonly HostPort[]): Promise<OccupiedPort | null> {
  for (const port of ports) {
    for (const protocol of ['tcp', 'udp'] as const) {
      const candidate = { ...port, protocol };
      if (await staysOccupied(candidate)) return candidate;
    }
  }
  return null;
}

export function portOccupied({ ip, port, protocol }: OccupiedPort, owner = 'another program', cause?: unknown) {
  return runtimeError(
    'PORT_OCCUPIED',
    `port ${port} (${protocol.toUpperCase()}) of ${ip} is in use on the node by ${owner}`,
    { ip, port, protocol },
    { cause },
  );
}

export function addressNotOnNode(ip: string, cause?: unknown) {
  return runtimeError(
    'ADDRESS_NOT_ON_NODE',
    `the node does not have the address ${ip}: behind NAT an allocation has its private address or 0.0.0.0, and the public one as alias`,
    { ip },
    { cause },
  );
}

async function staysOccupied(port: OccupiedPort): Promise<boolean> {
  for (const until = performance.now() + freeingMs; await isOccupied(port); await pause(retryMs)) {
    if (performance.now() > until) return true;
  }
  return false;
}

async function isOccupied({ ip, port, protocol }: OccupiedPort): Promise<boolean> {
  const code = protocol === 'tcp' ? await listenError(ip, port) : await bindError(ip, port);
  if (code === 'EADDRNOTAVAIL') throw addressNotOnNode(ip);
  return code === 'EADDRINUSE';
}

async function listenError(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function bindError(address: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code ?? '');
    });
    socket.bind({ address, port, exclusive: true }, () => socket.close(() => resolve(null)));
  });
}
