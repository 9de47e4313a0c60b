import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pause } from '@panel/kit/async';
import { checkInstanceSpec, checkServerId } from '../check-spec.js';
import { runtimeError } from '../reasons.js';
import type { GameSignal, Instance, InstanceSpec, ProgressListener } from '../runtime.js';
import { shellArguments, toShell } from '../startup.js';
import { GameFiles, type ProcessIdentity, type StoredGame, type StoredState } from './game-files.js';
import { bootId, killMembers, readProcess, sendSignal } from './processes.js';
import { askShim, ShimTimeout } from './shim-client.js';
import { replaceMountPoints, processEnvironment, userOf } from './process-environment.js';

const shimPath = fileURLToPath(import.meta.resolve('@panel/runtime/shim'));
/** A shim only copies bytes and needs little heap. */
const shimFlags = ['--max-old-space-size=24', '--max-semi-space-size=1', '--v8-pool-size=1', '--no-warnings'];
const readyMs = 15_000;
const askMs = 5000;
const killMs = 15_000;
const inputMs = 10_000;
const killedCode = 137;
const readAtOnce = 16;

export interface Game {
  readonly files: GameFiles;
  readonly stored: StoredGame;
  /** Null: created, not started. */
  readonly state: StoredState | null;
}

/** Stateless: reads disk and /proc. */
export class Games {
  constructor(private readonly runDirectory: string) {}

  get directory(): string {
    return join(this.runDirectory, 'games');
  }

  prepare(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
  }

  create(spec: InstanceSpec, onProgress?: ProgressListener): void {
    checkInstanceSpec(spec, { allowRoot: true });
    this.prepare();
    const game = this.find(spec.serverId);
    if (game?.state?.state === 'running')
      throw runtimeError('INSTANCE_RUNNING', 'the instance runs', { serverId: spec.serverId });
    const startup = toShell(replaceMountPoints(spec.startup, spec.volume));
    const files = new GameFiles(this.runDirectory, spec.serverId);
    onProgress?.('create_container', spec.serverId);
    rmSync(files.directory, { recursive: true, force: true });
    files.writeGame({
      serverId: spec.serverId,
      generation: spec.generation,
      run: randomBytes(6).toString('hex'),
      program: shellArguments(startup),
      directory: spec.volume.path,
      environment: processEnvironment(spec.volume, spec.environment, { STARTUP: spec.startup }),
      user: userOf(spec.volume),
    });
  }

  async start(serverId: string): Promise<void> {
    const game = this.get(serverId);
    if (game.state?.state === 'running') return;
    if (game.state)
      throw runtimeError('START_FAILED', 'the instance has ended and must be created again', { serverId });
    const { directory } = game.stored;
    if (!existsSync(directory) || !statSync(directory).isDirectory()) {
      throw runtimeError('START_FAILED', 'the volume is not there', { serverId });
    }
    await startShim(this.runDirectory, game);
  }

  /** A game whose shim was killed counts as killed, and its remains are killed. */
  find(serverId: string): Game | null {
    checkServerId(serverId);
    const files = new GameFiles(this.runDirectory, serverId);
    const stored = files.readGame();
    if (!stored) return null;
    const state = files.readState(stored.run);
    if (state?.state !== 'running' || isAlive(state.shim)) return { files, stored, state };
    const final = files.readState(stored.run); // it may have ended in order between the two reads
    if (final?.state === 'exited') return { files, stored, state: final };
    return { files, stored, state: recordLostGame(files, stored, state) };
  }

  get(serverId: string): Game {
    const game = this.find(serverId);
    if (!game) throw runtimeError('INSTANCE_NOT_FOUND', 'there is no such instance on this machine', { serverId });
    return game;
  }

  /** Ended games stay until removed. Asynchronous. */
  async list(): Promise<Game[]> {
    if (!existsSync(this.directory)) return [];
    const entries = await readdir(this.directory, { withFileTypes: true });
    const ids = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const games: (Game | null)[] = [];
    for (let from = 0; from < ids.length; from += readAtOnce) {
      games.push(...(await Promise.all(ids.slice(from, from + readAtOnce).map(async (id) => this.load(id)))));
    }
    return games.filter((game) => game !== null);
  }

  /** Asynchronous. A lost game goes to the synchronous `find`: nothing may come between its reads and its record. */
  private async load(serverId: string): Promise<Game | null> {
    checkServerId(serverId);
    const files = new GameFiles(this.runDirectory, serverId);
    const stored = await files.loadGame();
    if (!stored) return null;
    const state = await files.loadState(stored.run);
    return state?.state !== 'running' || isAlive(state.shim) ? { files, stored, state } : this.find(serverId);
  }

  async signal(serverId: string, signal: GameSignal): Promise<void> {
    if (signal === 'SIGKILL') return this.kill(serverId);
    const game = this.find(serverId);
    if (game?.state?.state !== 'running') return;
    await ask(game, { do: 'signal', signal }, askMs);
  }

  async kill(serverId: string): Promise<void> {
    const game = this.find(serverId);
    if (game?.state?.state !== 'running') return;
    const { shim } = game.state;
    await askShim(game.files, { do: 'kill' }, askMs).catch((error: unknown) => {
      if (!(error instanceof ShimTimeout)) throw error;
      killMembers(shim.pid);
    });
    const deadline = Date.now() + killMs;
    while (this.stillRuns(game)) {
      if (Date.now() > deadline && isAlive(shim)) sendSignal(shim.pid, 'SIGKILL');
      await pause(20);
    }
  }

  async remove(serverId: string): Promise<void> {
    await this.kill(serverId);
    const game = this.find(serverId);
    if (game) rmSync(game.files.directory, { recursive: true, force: true });
  }

  async writeInput(serverId: string, data: string): Promise<void> {
    const game = this.find(serverId);
    const answer = game?.state?.state === 'running' ? await ask(game, { do: 'input', data }, inputMs) : 'closed';
    if (answer === null) return;
    if (answer === 'closed' && this.find(serverId)?.state?.state !== 'running') {
      throw runtimeError('INSTANCE_NOT_FOUND', 'the instance does not run', { serverId });
    }
    throw runtimeError('INPUT_BLOCKED', 'the game does not read its input', { serverId });
  }

  private stillRuns(game: Game): boolean {
    const now = this.find(game.stored.serverId);
    return now?.stored.run === game.stored.run && now.state?.state === 'running';
  }
}

async function ask(game: Game, request: Parameters<typeof askShim>[1], timeoutMs: number): Promise<string | null> {
  try {
    return await askShim(game.files, request, timeoutMs);
  } catch (error) {
    if (!(error instanceof ShimTimeout)) throw error;
    return error.timedOut ? 'blocked' : 'closed';
  }
}

export function toInstance({ stored, state }: Game): Instance {
  const { serverId, generation } = stored;
  if (!state) return { serverId, generation, state: 'created' };
  if (state.state === 'running')
    return { serverId, generation, state: 'running', startedAt: new Date(state.startedAt), isPaused: false };
  const { exitCode, finishedAt } = state;
  return { serverId, generation, state: 'exited', exitCode, outOfMemory: false, finishedAt: new Date(finishedAt) };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const entry = readProcess(identity.pid);
  return (
    entry !== null && entry.state !== 'Z' && entry.startTicks === identity.startTicks && identity.bootId === bootId()
  );
}

function recordLostGame(files: GameFiles, stored: StoredGame, state: StoredState & { state: 'running' }): StoredState {
  const reused = readProcess(state.shim.pid) !== null && readProcess(state.shim.pid)?.state !== 'Z';
  if (state.shim.bootId === bootId() && !reused) killMembers(state.shim.pid);
  const ended = { state: 'exited', exitCode: killedCode, startedAt: state.startedAt, finishedAt: Date.now() } as const;
  files.writeState(stored.run, ended);
  if (readPid(files) === state.shim.pid) rmSync(files.pidFile, { force: true });
  rmSync(join(files.gamesDirectory, files.socketName), { force: true });
  return ended;
}

function readPid(files: GameFiles): number | null {
  return existsSync(files.pidFile) ? Number(readFileSync(files.pidFile, 'utf8')) : null;
}

async function startShim(runDirectory: string, { files, stored }: Game): Promise<void> {
  const errors = openSync(files.errorFile, 'a', 0o600);
  try {
    const shim = spawn(process.execPath, [...shimFlags, shimPath, runDirectory, stored.serverId], {
      cwd: tmpdir(),
      env: {},
      detached: true,
      stdio: ['ignore', 'ignore', errors, 'pipe'],
    });
    shim.unref();
    const spawned = new Promise<never>((_, reject) => {
      shim.once('error', reject);
    });
    const said = await Promise.race([firstLine(shim.stdio[3] as Readable), spawned]);
    if (said === null) throw new Error(readFileSync(files.errorFile, 'utf8').slice(-500) || 'it ended at once');
    const message = JSON.parse(said) as { error?: string };
    if (message.error !== undefined) throw new Error(message.error);
  } catch (cause) {
    const reason = String(cause instanceof Error ? cause.message : cause);
    throw runtimeError('START_FAILED', 'the game could not be started', { reason }, { cause });
  } finally {
    closeSync(errors);
  }
}

async function firstLine(stream: Readable): Promise<string | null> {
  const timer = setTimeout(() => stream.destroy(new Error(`not ready within ${readyMs} ms`)), readyMs);
  let text = '';
  try {
    for await (const chunk of stream) {
      text += String(chunk);
      if (text.includes('\n')) return text;
    }
    return null;
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}
