import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './processes.js';

export interface StoredGame {
  readonly serverId: string;
  readonly generation: number;
  readonly run: string;
  readonly program: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Null: this process's user. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** Identifies a process despite pid reuse. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export type StoredState =
  | { readonly state: 'running'; readonly shim: ProcessIdentity; readonly startedAt: number }
  | { readonly state: 'exited'; readonly exitCode: number; readonly startedAt: number; readonly finishedAt: number };

/** Imports nothing but Node, because every game's shim loads it. */
export class GameFiles {
  readonly gamesDirectory: string;
  /** Holds game.json and one directory per run. */
  readonly directory: string;
  /** The shim's pid in decimal, while it runs. */
  readonly pidFile: string;
  readonly gameFile: string;
  /** Relative to `gamesDirectory`: socket paths are limited to 108 bytes (unix(7)). */
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

  /** Created by the run's shim: one of several starters wins. */
  claimFile(run: string): string {
    return join(this.runDirectory(run), 'claim');
  }

  readGame(): StoredGame | null {
    return readJson(this.gameFile) as StoredGame | null;
  }

  readState(run: string): StoredState | null {
    return readJson(this.stateFile(run)) as StoredState | null;
  }

  /** As readGame, asynchronous. */
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

/** Null without a file. Written by this module only, so callers trust the shape. */
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

/** Atomic. Owner-readable only, because environments hold secrets. */
export function writeJson(path: string, value: unknown): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
  renameSync(temporary, path);
}
