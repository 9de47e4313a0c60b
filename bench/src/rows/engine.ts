import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDockerRuntime, type Runtime } from '@panel/runtime';
import { engineMissing, engineUrl, imageName, makeTestImages } from '@panel/testing/engine';
import { cpuMs, median } from '../measure/process.js';
import { type Line, ms, type Row } from './row.js';

const games = 10;
const streamsPerGame = 10;
const rounds = 5;
const callsPerRound = 100;
/** The client inspected all sockets of its agent on each call: 40 times the processor time beside 80 streams. */
const maxRatio = 1.5;
const user = 1_000;

interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** A node's consoles and statistics are open while calls of other customers use the same client. */
export const engine: Row = {
  name: 'engine',
  about: `calls of a container engine beside ${games * streamsPerGame} open streams, against those beside none`,
  run: async () => {
    const missing = await engineMissing();
    if (missing !== null) throw new Error(missing);
    await makeTestImages();
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-bench-'));
    const runtime = createDockerRuntime({ url: engineUrl, panelId: `bench${randomUUID().slice(0, 8)}` });
    const ids = Array.from({ length: games }, () => randomUUID());
    try {
      await chmod(directory, 0o777);
      await chown(directory, user, user);
      for (const id of ids) await startGame(runtime, id, directory);
      return [await compared(runtime, ids)];
    } finally {
      for (const id of ids) await runtime.remove(id);
      await runtime.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function startGame(runtime: Runtime, serverId: string, directory: string): Promise<void> {
  await runtime.create({
    serverId,
    generation: 1,
    image: `~${imageName}:1`,
    startup: 'while true; do sleep 60; done',
    environment: {},
    volume: { path: directory, uid: user, gid: user },
    limits: { memoryMb: 64, swapMb: 0, cpuPercent: 0, ioWeight: 500 },
    ports: [],
  });
  await runtime.start(serverId);
}

/** In turns, so that a slow moment of the engine is in both. */
async function compared(runtime: Runtime, ids: readonly string[]): Promise<Line> {
  const alone: Cost[] = [];
  const beside: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await costOfCalls(runtime, ids));
    const ended = new AbortController();
    const streams = ids.flatMap((id) =>
      Array.from({ length: streamsPerGame }, async (_, at) => follow(runtime, id, at, ended.signal)),
    );
    beside.push(await costOfCalls(runtime, ids));
    ended.abort();
    await Promise.all(streams);
  }
  const cpu = (costs: readonly Cost[]) => median(costs.map((cost) => cost.cpu));
  const wall = (costs: readonly Cost[]) => median(costs.map((cost) => cost.wall));
  const ratio = cpu(beside) / cpu(alone);
  return {
    name: `engine calls beside ${ids.length * streamsPerGame} streams`,
    value: `${ratio.toFixed(2)} of none`,
    details: `processor ${ms(cpu(beside))} against ${ms(cpu(alone))} a call, answer after ${ms(wall(beside))} against ${ms(wall(alone))}`,
    target: `<= 1.3, 1 ms (${maxRatio})`,
    holds: ratio <= maxRatio,
  };
}

/** Half of the streams are consoles, half statistics. */
async function follow(runtime: Runtime, id: string, at: number, signal: AbortSignal): Promise<void> {
  const stream = at % 2 === 0 ? runtime.readOutput(id, { signal }) : runtime.readStats(id, signal);
  for await (const part of stream) if (signal.aborted) return void part;
}

async function costOfCalls(runtime: Runtime, ids: readonly string[]): Promise<Cost> {
  // Streams open and connections warm up.
  for (const id of ids) await runtime.inspect(id);
  const cpuBefore = cpuMs(process.pid);
  const begun = performance.now();
  for (let call = 0; call < callsPerRound; call += 1) await runtime.inspect(ids[call % ids.length] ?? '');
  return {
    cpu: (cpuMs(process.pid) - cpuBefore) / callsPerRound,
    wall: (performance.now() - begun) / callsPerRound,
  };
}
