import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

const lowest = 10_240;
/** The demo node's game ports and what people usually run games on. */
const gamePorts = { from: 25_500, to: 25_700 };

/**
 * `count` different ports of 127.0.0.1 that nothing listens on, below the range from which outgoing connections take
 * theirs: a process that restarts must find its port free, and a client's connection may hold any port of that range.
 */
export async function freePorts(count: number): Promise<number[]> {
  const below = firstEphemeralPort();
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries += 1) {
    if (tries > count * 200) throw new Error('no free ports');
    const port = randomInt(lowest, below);
    if (port >= gamePorts.from && port <= gamePorts.to) continue;
    if (!found.has(port) && (await isFree(port, '127.0.0.1'))) found.add(port);
  }
  return [...found];
}

/** Whether a listener can be bound to the port now. */
export async function isFree(port: number, host: string): Promise<boolean> {
  return (await bindErrorCode(port, host)) === undefined;
}

/** Error code of binding (EADDRINUSE, EACCES, EADDRNOTAVAIL, ENOTFOUND, ...), or undefined when it can be bound. */
export function bindErrorCode(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function firstEphemeralPort(): number {
  try {
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0]);
    return first > lowest + 2_000 ? first : 32_768;
  } catch {
    // Not Linux: IANA's dynamic range begins later, 32768 is safe for both.
    return 32_768;
  }
}
