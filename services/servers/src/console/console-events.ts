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

/** The usage of a server; zeros without `stats`. */
export interface Resources {
  readonly state: PowerState;
  readonly suspended: boolean;
  readonly stats: InstanceStats | null;
  readonly diskBytes: number;
  readonly at: Date;
}

export function resourcesOf(server: MeteredServer, stats: InstanceStats | null, diskBytes: number): Resources {
  const at = stats?.at ?? new Date();
  return { state: server.power.state, suspended: server.suspended, stats, diskBytes, at };
}

/** Why a watcher gets no more events. */
export type EndReason = 'too_slow' | 'deleted' | 'forbidden' | 'restarting' | 'suspended';

/** What a watcher of a server gets. */
export type ConsoleEvent =
  | { readonly kind: 'line'; readonly line: ConsoleLine }
  | { readonly kind: 'install'; readonly text: string; readonly step: string }
  | { readonly kind: 'power'; readonly state: PowerState }
  | { readonly kind: 'operation'; readonly operation: VisibleOperation | null }
  | { readonly kind: 'stats'; readonly resources: Resources }
  /** `isResolved`: what was asked for is done. */
  | { readonly kind: 'feature'; readonly notice: FeatureNotice; readonly isResolved: boolean }
  /** The end of what a new watcher gets of the past. */
  | { readonly kind: 'history_end' }
  | { readonly kind: 'ended'; readonly reason: EndReason };
