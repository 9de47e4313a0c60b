import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './processes.js';

/** What `create` stores: everything the shim needs to run the game, and nothing else. */
export interface StoredGame {
  readonly serverId: string;
  readonly generation: number;
  /** Names this one run. */
  readonly run: string;
  readonly program: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Null: as the user this process runs as. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** A process by what cannot be taken over by another one. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export type StoredState =
  | { readonly state: 'running'; readonly shim: ProcessIdentity; readonly startedAt: number }
  | { readonly state: 'exited'; readonly exitCode: number; readonly startedAt: number; readonly finishedAt: number };

/** Where a game's things are. Nothing here may import more than Node: the shim of every game loads it. */
export class GameFiles {
  readonly gamesDirectory: string;
  /** Holds game.json and one directory per run. */
  readonly directory: string;
  /** The shim's pid in decimal, while it runs. */
  readonly pidFile: string;
  readonly gameFile: string;
  /** Relative to `gamesDirectory`: a socket's path must be short (unix(7): 108 bytes), a data directory's may be long. */
  readonly socketName: string;
  readonly errorFile: string;

  constructor(runDirectory: string, serverId: string) {
    this.gamesDirectory = join(runDirectory, 'games');
    this.directory = join(this.gamesDirectory, serverId);
    this.pidFile = join(this.gamesDirectory, `${serverId}.pid`);
    this.socketName = `${createHash('sha256').update(serverId).digest('hex').slice(0, 16)}.sock`;
    this.gameFile = join(this.directory, 'game.json');
    this.errorFile = join(this.directory, 'shim.err');
  }

  runDirectory(run: string): string {
    return join(this.directory, run);
  }

  stateFile(run: string): string {
    return join(this.runDirectory(run), 'state.json');
  }

  /** Made by the shim that starts the run: of several starters one wins. */
  claimFile(run: string): string {
    return join(this.runDirectory(run), 'claim');
  }

  readGame(): StoredGame | null {
    return readJson(this.gameFile) as StoredGame | null;
  }

  readState(run: string): StoredState | null {
    return readJson(this.stateFile(run)) as StoredState | null;
  }

  /** As readGame, without holding up the process while the disk is slow. */
  async loadGame(): Promise<StoredGame | null> {
    return (await loadJson(this.gameFile)) as StoredGame | null;
  }

  async loadState(run: string): Promise<StoredState | null> {
    return (await loadJson(this.stateFile(run))) as StoredState | null;
  }

  writeState(run: string, state: StoredState): void {
    writeJson(this.stateFile(run), state);
  }

  writeGame(game: StoredGame): void {
    mkdirSync(this.runDirectory(game.run), { recursive: true, mode: 0o700 });
    writeJson(this.gameFile, game);
  }
}

/** Null when there is no such file. These are our own, written by this module alone: callers trust their shape. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return nullIfMissing(error);
  }
}

async function loadJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    return nullIfMissing(error);
  }
}

function nullIfMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
}

/** Whole or not at all: written beside and renamed. Readable by its owner only, because environments hold secrets. */
export function writeJson(path: string, value: unknown): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
  renameSync(temporary, path);
}
