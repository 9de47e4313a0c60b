import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { randomInt } from 'node:crypto';
import { takeName } from './named-lock.js';

const host = '127.0.0.1';
const lowest = 10_240;
/** The demo node's game ports and what people usually run games on. */
const gamePorts = { from: 25_500, to: 25_700 };

/** Until the process ends: what listens there may be started again at any time. */
const taken = new Map<string, Pick<Server, 'close'>>();

/**
 * Takes `count` different ports of 127.0.0.1 on which nothing listens, below the range from which outgoing connections
 * take theirs: a process that restarts must find its port free, and a client's connection may hold any port of that range.
 */
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
 * Takes a port for this process: other launchers and tests of this machine leave it alone from here on, also while nothing
 * listens, because what does is still starting or is started again. A port that this process has taken can be taken
 * again. Returns why it cannot be had (see bindErrorCode), or undefined when it is ours.
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

/** Null where another process has it. Only Linux has names that vanish with their process: elsewhere none is taken. */
async function lockOn(name: string): Promise<Pick<Server, 'close'> | null> {
  if (process.platform !== 'linux') return createServer();
  try {
    return await takeName(`\0panel-port-${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return null;
  }
}

/** Error code of binding (EADDRINUSE, EACCES, EADDRNOTAVAIL, ENOTFOUND, ...), or undefined when it can be bound. */
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
