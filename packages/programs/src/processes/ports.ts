import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { randomInt } from 'node:crypto';
import { takeName } from './named-lock.js';

const host = '127.0.0.1';
const lowest = 10_240;
const gamePorts = { from: 25_500, to: 25_700 };

/** Until the process ends, because listeners may restart. */
const taken = new Map<string, Pick<Server, 'close'>>();

/** Below the ephemeral range, whose ports a client's connection may occupy during a restart. */
export async function freePorts(count: number): Promise<number[]> {
  const below = firstEphemeralPort();
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries += 1) {
    if (tries > count * 200) throw new Error('no free ports');
    const port = randomInt(lowest, below);
    if (port >= gamePorts.from && port <= gamePorts.to) continue;
    if (taken.has(nameOf(port, host))) continue;
    if ((await takePort(port, host)) === undefined) found.add(port);
  }
  return [...found];
}

/**
 * Other launchers and tests skip a reserved port, even while its listener is down. Repeatable. Returns the reason of a
 * failure (see bindErrorCode), or undefined.
 */
export async function takePort(port: number, host: string): Promise<string | undefined> {
  const name = nameOf(port, host);
  const earlier = taken.get(name);
  const lock = earlier ?? (await lockOn(name));
  if (lock === null) return 'EADDRINUSE';
  const code = await bindErrorCode(port, host);
  if (code === undefined) taken.set(name, lock);
  else if (lock !== earlier) lock.close();
  return code;
}

/** Null when locked by another process. Without abstract names (not Linux) there is no lock. */
async function lockOn(name: string): Promise<Pick<Server, 'close'> | null> {
  if (process.platform !== 'linux') return createServer();
  try {
    return await takeName(`\0panel-port-${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return null;
  }
}

/** EADDRINUSE, EACCES, EADDRNOTAVAIL, ENOTFOUND, …; undefined when possible. */
export function bindErrorCode(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

const nameOf = (port: number, address: string): string => `${address}:${port}`;

function firstEphemeralPort(): number {
  try {
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0]);
    return first > lowest + 2_000 ? first : 32_768;
  } catch {
    // Not Linux: IANA's dynamic range begins later, 32768 is safe for both.
    return 32_768;
  }
}
