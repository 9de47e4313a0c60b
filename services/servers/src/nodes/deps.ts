import type { GameDeps } from '../games/deps.js';

/** What the work on nodes needs. */
export interface NodeDeps extends Pick<
  GameDeps,
  'owner' | 'clock' | 'log' | 'attempt' | 'servers' | 'nodes' | 'runtimes' | 'files' | 'hub'
> {
  readonly settings: NodeSettings;
}

export interface NodeSettings {
  /** Games end when this process does, so that its start is that of its nodes. */
  readonly endsGamesWithService: boolean;
  readonly startTimeoutMs: number;
}
