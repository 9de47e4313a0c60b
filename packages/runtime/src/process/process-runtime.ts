import { hostname } from 'node:os';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@panel/kit/errors';
import { runtimeError } from '../reasons.js';
import { checkInstanceSpec, checkNewLimits, checkServerId } from '../check-spec.js';
import { findOccupiedPort, portOccupied } from '../port-probe.js';
import type { InstanceStats, OutputChunk, ReadOutputOptions, Runtime, RuntimeEvent } from '../runtime.js';
import { Games, toInstance } from './games.js';
import { bootId } from './processes.js';
import { installOnMachine, killInstaller } from './installer.js';
import { readOutputLog } from './output-reader.js';
import { ProcessTable, readGameStats, sampleGame } from './stats.js';
import { watchGames } from './watch.js';

interface ProcessRuntimeOptions {
  /** Supervisors' state, mode 0700. Survives this process, not the machine. */
  readonly runDir: string;
}

/** Each under a supervisor that outlives this process. For trials: ignores images and limits, without isolation. */
export function createProcessRuntime({ runDir }: ProcessRuntimeOptions): Runtime {
  const directory = resolve(runDir);
  const games = new Games(directory);
  const table = new ProcessTable();
  const closing = new AbortController();
  const untilClosed = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);

  async function* readOutput(serverId: string, options: ReadOutputOptions): AsyncGenerator<OutputChunk> {
    if (options.signal.aborted) return;
    const { files, stored, state } = games.get(serverId);
    if (!state) return;
    const hasEnded = () => {
      const now = games.find(serverId);
      return now?.stored.run !== stored.run || now.state?.state === 'exited';
    };
    const signal = untilClosed(options.signal);
    yield* readOutputLog(files.runDirectory(stored.run), stored.run, { after: options.after, signal, hasEnded });
  }

  async function* readStats(serverId: string, signal: AbortSignal): AsyncGenerator<InstanceStats> {
    if (signal.aborted) return;
    yield* readGameStats(games, games.get(serverId), table, untilClosed(signal));
  }

  return {
    kind: 'process',
    capabilities: { limits: false, isolation: false, ports: false, networkStats: false },
    ping: async () => checkDirectory(directory),
    startId: async () => bootId(),
    machine: async () => ({ engineId: '', hostName: hostname() }),
    hostAddress: async () => '127.0.0.1',
    create: async (spec, onProgress) => {
      checkInstanceSpec(spec, { allowRoot: true });
      if (games.find(spec.serverId)?.state?.state !== 'running') {
        const occupied = await findOccupiedPort(spec.ports);
        if (occupied) throw portOccupied(occupied);
      }
      games.create(spec, onProgress);
    },
    start: async (serverId) => games.start(serverId),
    systemTime: async () => null,
    signal: async (serverId, signal) => games.signal(serverId, signal),
    // No engine pauses processes; the sender of SIGSTOP resumes them.
    resume: async (serverId) => checkServerId(serverId),
    kill: async (serverId) => games.kill(serverId),
    remove: async (serverId) => {
      await games.remove(serverId);
      await killInstaller(directory, serverId);
    },
    updateLimits: async (serverId, limits) => {
      checkServerId(serverId);
      checkNewLimits(limits);
      return false;
    },
    inspect: async (serverId) => {
      const game = games.find(serverId);
      return game ? toInstance(game) : null;
    },
    list: async () => (await games.list()).map((game) => ({ ...toInstance(game), isForeign: false })),
    watch: (signal): AsyncIterable<RuntimeEvent> => watchGames(games, untilClosed(signal)),
    readOutput,
    writeInput: async (serverId, data) => games.writeInput(serverId, data),
    readStats,
    sampleUsage: async (serverId) => {
      checkServerId(serverId);
      return sampleGame(games, serverId, table);
    },
    install: async (spec, onOutput, signal) => installOnMachine(directory, spec, onOutput, untilClosed(signal)),
    close: async () => closing.abort(),
  };
}

function checkDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw runtimeError('NODE_UNREACHABLE', 'the run directory cannot be used', { reason: messageOf(cause) }, { cause });
  }
}
