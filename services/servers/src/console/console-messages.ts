import type { Resources, WatchEvent } from '@panel/protos/servers';
import type { InstanceStats } from '@panel/runtime';
import type { FeatureNotice } from '../domain/eggs/features.js';
import type { GameServer, Power, PowerState, VisibleOperation } from '../domain/servers/server.js';

/** Prefix of lines of the panel itself in a console. They are no output of the game and have the number 0. */
export const noticePrefix = '[Panel] ';

export interface ConsoleLine {
  /** 0 for what is no line of the game, or not yet one. */
  readonly sequence: number;
  readonly text: string;
  readonly at: Date;
  /** The beginning of a line that has no end yet; the next numbered line is the rest of it. */
  readonly isPartial?: boolean;
  /** The line as it is read later, where `text` is the rest of one whose beginning was shown. */
  readonly whole?: string;
}

/** What of a server's document the resource meter reads. */
export type MeteredServer = Pick<GameServer, 'id' | 'suspended'> & {
  readonly power: Pick<Power, 'state' | 'generation'>;
};

/** Builds the messages of consoles; each is built once for all watchers of a server. */
export interface ConsoleMessages {
  line(line: ConsoleLine): WatchEvent;
  install(text: string, step: string): WatchEvent;
  power(state: PowerState): WatchEvent;
  operation(operation: VisibleOperation | null): WatchEvent;
  stats(stats: Resources): WatchEvent;
  feature(notice: FeatureNotice): WatchEvent;
  /** What was asked for is done. */
  featureEnd(notice: FeatureNotice): WatchEvent;
  /** The end of what a new watcher gets of the past. */
  readonly historyEnd: WatchEvent;
  /** The usage of a server; zeros without `stats`. */
  resources(server: MeteredServer, stats: InstanceStats | null, diskBytes: number): Resources;
}
