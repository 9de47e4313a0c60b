import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { accessTokenClaims, createTokenKey } from '@panel/rpc';
import { jwtSecret } from '../installation/installation.js';
import { type Child, nextMessage, ownProgram, startChild } from '../measure/child.js';
import { cpuMs, loadCore, measuredCore, rssMb } from '../measure/process.js';
import type { Read } from '../programs/readers.js';
import { ms, percent, type Row } from './row.js';
import jwt from 'jsonwebtoken';

const serviceSecret = 'only-for-benchmarks-service-0123456789';
const linesPerSecond = 10_000;
const printSeconds = 5;
/** The plain loop sends seven times slower than the game prints. */
const plainPrintSeconds = 0.2;
const maxDeliverySeconds = 30;
/** Enough to compile both ends early. */
const streamedLines = 600_000;

interface Fanned {
  /** CPU milliseconds until complete arrival. */
  readonly cpuMs: number;
  readonly readers: number;
  readonly read: Read;
  readonly rssGrowthMb: number;
  readonly printed: number;
}

/** One console with 10,000 lines of 100 bytes a second, read by many sockets. */
export const consoles: Row = {
  name: 'console',
  about: '10,000 lines/s of 100 bytes to 100 sockets, to 500, and with ten that stopped reading',
  run: async () => {
    const hundred = await fan({ readers: 100 });
    const fiveHundred = await fan({ readers: 500 });
    const plain = await fan({ readers: 500, program: ownProgram('plain-fan-out'), seconds: plainPrintSeconds });
    const stalled = await fan({ readers: 100, stalled: 10 });
    const [batched, single] = [await streamedUs(64), await streamedUs(1)];
    const perLine = (it: Fanned) => (it.cpuMs * 1e3) / sum(it.read.lines);
    const cpu = (it: Fanned) => it.cpuMs / (printSeconds * 1e3);
    return [
      {
        name: '10k lines/s to 100 sockets: CPU of the gateway',
        value: percent(cpu(hundred)),
        details: `${delivered(hundred)}, latency p50 ${ms(hundred.read.p50Ms)}, p99 ${ms(hundred.read.p99Ms)}`,
        target: '<= 15 % (50)',
        holds: cpu(hundred) <= 0.5 && isWhole(hundred, 100),
      },
      {
        name: 'to 500 sockets, CPU per line and reader',
        value: `${(perLine(plain) / perLine(fiveHundred)).toFixed(1)}×`,
        details: `${perLine(fiveHundred).toFixed(3)} µs; ws.send per line and socket ${perLine(plain).toFixed(2)} µs; ${delivered(fiveHundred)}; plain ${delivered(plain)}`,
        target: '>= 25× a plain loop (10)',
        holds: perLine(plain) / perLine(fiveHundred) >= 10,
      },
      {
        name: '10 of 100 readers stalled: what the others get',
        value: percent(sum(stalled.read.lines.slice(0, 90)) / (90 * stalled.printed)),
        details: `memory + ${stalled.rssGrowthMb.toFixed(0)} MB, ${percent(cpu(stalled))} CPU`,
        target: '>= 99 %, + <= 64 MB (95 %)',
        holds: sum(stalled.read.lines.slice(0, 90)) >= 0.95 * 90 * stalled.printed,
      },
      {
        name: 'stream between processes, 64 lines a message',
        value: `${(single / batched).toFixed(1)}×`,
        details: `CPU of both ends ${batched.toFixed(2)} µs a line; one line a message ${single.toFixed(2)} µs`,
        target: '>= 15× (8)',
        holds: single / batched >= 8,
      },
    ];
  },
};

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function isWhole(it: Fanned, readers: number): boolean {
  return it.read.lines.slice(0, readers).every((lines) => lines === it.printed);
}

function delivered({ read, printed, readers }: Fanned): string {
  return `${percent(sum(read.lines) / (printed * readers))} of ${((printed * readers) / 1e6).toFixed(1)}M lines arrived`;
}

/** CPU microseconds of both ends per line of one console stream without sockets. */
async function streamedUs(linesPerMessage: number): Promise<number> {
  const fakeServices = await startChild(ownProgram('fake-services'), {
    env: {
      SERVICE_SECRET: serviceSecret,
      BENCH_LINES: `${streamedLines * 10}`,
      BENCH_SECONDS: '0.1',
      BENCH_BATCH: `${linesPerMessage}`,
    },
  });
  const reader = await startChild(ownProgram('stream-reader'), {
    env: {
      SERVICE_SECRET: serviceSecret,
      SERVERS_ADDRESS: String(fakeServices.ready['listen']),
      BENCH_COUNT: `${streamedLines}`,
    },
    core: measuredCore,
  });
  const cpu = () => cpuMs(fakeServices.pid) + cpuMs(reader.pid);
  const before = cpu();
  const read = nextMessage(reader.process, 'read');
  fakeServices.process.send('begin');
  await read;
  const used = cpu() - before;
  await reader.stop();
  await fakeServices.stop();
  return (used * 1e3) / streamedLines;
}

interface Fan {
  readonly readers: number;
  readonly stalled?: number;
  /** Instead of the gateway. */
  readonly program?: string;
  readonly seconds?: number;
}

async function fan({
  readers,
  stalled = 0,
  program = ownProgram('console-gateway'),
  seconds = printSeconds,
}: Fan): Promise<Fanned> {
  const children: Child[] = [];
  const start = async (...given: Parameters<typeof startChild>) => {
    const child = await startChild(...given);
    children.push(child);
    return child;
  };
  try {
    const userId = randomUUID();
    const fakeServices = await start(ownProgram('fake-services'), {
      env: {
        SERVICE_SECRET: serviceSecret,
        BENCH_USER: userId,
        BENCH_LINES: `${linesPerSecond}`,
        BENCH_SECONDS: `${seconds}`,
      },
    });
    const gateway = await start(program, {
      env: gatewayEnvironment(String(fakeServices.ready['listen'])),
      core: measuredCore,
    });
    const reading = await start(ownProgram('readers'), {
      env: {
        BENCH_READERS: `${readers}`,
        BENCH_STALLED: `${stalled}`,
        BENCH_LISTEN: String(gateway.ready['listen']),
        BENCH_PATH: `/api/v1/servers/${randomUUID()}/ws`,
        BENCH_TOKEN: tokenOf(userId),
      },
      core: loadCore,
    });
    await nextMessage(reading.process, 'open');
    return await watch(fakeServices, gateway, reading, readers - stalled);
  } finally {
    for (const child of children.reverse()) await child.stop();
  }
}

async function watch(fakeServices: Child, gateway: Child, reading: Child, readers: number): Promise<Fanned> {
  const printed = nextMessage(fakeServices.process, 'printed');
  const [cpuBefore, rssBefore] = [cpuMs(gateway.pid), rssMb(gateway.pid)];
  fakeServices.process.send('begin');
  const { lines } = await printed;
  const read = await arrived(reading, lines, readers);
  const cpu = cpuMs(gateway.pid) - cpuBefore;
  return { cpuMs: cpu, readers, read, rssGrowthMb: rssMb(gateway.pid) - rssBefore, printed: Number(lines) };
}

/** The first `readers`' results once complete or timed out. */
async function arrived(reading: Child, lines: unknown, readers: number): Promise<Read> {
  const giveUpAt = performance.now() + maxDeliverySeconds * 1_000;
  for (;;) {
    const answer = nextMessage(reading.process, 'read');
    reading.process.send('read');
    const read = (await answer) as unknown as Read;
    const isWhole = read.lines.slice(0, readers).every((count) => count >= Number(lines));
    if (isWhole || performance.now() > giveUpAt) return read;
    await wait(100);
  }
}

function gatewayEnvironment(fakeServices: string): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    JWT_SECRET: jwtSecret,
    SERVICE_SECRET: serviceSecret,
    NODE_LOCAL_ADDRESSES: 'loopback',
    IDENTITY_ADDRESS: fakeServices,
    SERVERS_ADDRESS: fakeServices,
    BILLING_ADDRESS: fakeServices,
    ADMIN_ADDRESS: fakeServices,
    RATE_LIMIT_GENERAL: '1000000',
    RATE_LIMIT_CONSOLE: '1000000',
  };
}

function tokenOf(userId: string): string {
  const claims = { ...accessTokenClaims, sub: userId, sid: randomUUID(), jti: randomUUID() };
  return jwt.sign(claims, createTokenKey(jwtSecret), { algorithm: 'HS256', expiresIn: 900 });
}
