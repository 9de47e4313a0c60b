import type { GameDeps } from '../games/deps.js';

export interface NodeDeps extends Pick<
  GameDeps,
  'owner' | 'clock' | 'log' | 'attempt' | 'servers' | 'nodes' | 'runtimes' | 'files' | 'hub'
> {
  readonly settings: NodeSettings;
}

export interface NodeSettings {
  /** Its start is then that of its nodes. */
  readonly endsGamesWithService: boolean;
  readonly startTimeoutMs: number;
}
