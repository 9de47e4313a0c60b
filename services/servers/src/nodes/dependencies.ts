import type { GameDeps, GameSettings } from '../games/dependencies.js';
import type { LeftInstanceStore } from '../models/nodes/left-instance.js';

export interface NodeDeps extends Pick<
  GameDeps,
  'owner' | 'clock' | 'log' | 'attempt' | 'servers' | 'nodes' | 'runtimes' | 'files' | 'hub'
> {
  readonly leftInstances: LeftInstanceStore;
  readonly settings: NodeSettings;
}

export interface NodeSettings extends Pick<GameSettings, 'startTimeoutMs'> {
  /** Its start is then that of its nodes. */
  readonly endsGamesWithService: boolean;
}
