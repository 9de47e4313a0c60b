import type { Resources, WatchEvent } from '@panel/protos/servers';
import type { InstanceStats } from '@panel/runtime';
import type { FeatureNotice } from '../../domain/eggs/features.js';
import type { GameServer, Power, PowerState, VisibleOperation } from '../../domain/servers/server.js';

/** Prefix of lines of the panel itself in a console. They are no output of the game and have the number 0. */
export const noticePrefix = '[Panel] ';

export interface ConsoleLine {
  readonly sequence: number;
  readonly text: string;
  readonly at: Date;
}

/** What of a server's document the resource meter reads. */
export type MeteredServer = Pick<GameServer, 'id' | 'suspended'> & { readonly power: Pick<Power, 'state'> };

/** Builds the messages of consoles; each is built once for all watchers of a server. */
export interface ConsoleMessages {
  line(line: ConsoleLine): WatchEvent;
  install(text: string, step: string): WatchEvent;
  power(state: PowerState): WatchEvent;
  operation(operation: VisibleOperation | null): WatchEvent;
  stats(stats: Resources): WatchEvent;
  feature(notice: FeatureNotice): WatchEvent;
  /** The end of what a new watcher gets of the past. */
  readonly historyEnd: WatchEvent;
  /** The usage of a server; zeros without `stats`. */
  resources(server: MeteredServer, stats: InstanceStats | null, diskBytes: number): Resources;
}
