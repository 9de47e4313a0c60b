import type { InstanceStats } from '@panel/runtime';
import type { FeatureNotice } from '../domain/eggs/features.js';
import type { GameServer, Power, PowerState, VisibleOperation } from '../domain/servers/server.js';

/** Panel notices have the number 0. */
export const noticePrefix = '[Panel] ';

export interface ConsoleLine {
  /** 0: no game line, or not numbered yet. */
  readonly sequence: number;
  readonly text: string;
  readonly at: Date;
  /** The next numbered line is its rest. */
  readonly isPartial?: boolean;
  /** The state of a line that is redrawn. The game's next line takes its place. */
  readonly isRedrawn?: boolean;
  /** The full line if `text` is only its rest. */
  readonly whole?: string;
}

export type MeteredServer = Pick<GameServer, 'id' | 'userId' | 'suspended'> & {
  readonly power: Pick<Power, 'state' | 'generation'>;
};

/** Zeros without `stats`. */
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

export type EndReason = 'too_slow' | 'deleted' | 'forbidden' | 'restarting' | 'suspended';

export type ConsoleEvent =
  | { readonly kind: 'line'; readonly line: ConsoleLine }
  | { readonly kind: 'install'; readonly text: string; readonly step: string }
  | { readonly kind: 'power'; readonly state: PowerState }
  | { readonly kind: 'operation'; readonly operation: VisibleOperation | null }
  | { readonly kind: 'stats'; readonly resources: Resources }
  /** `isResolved`: the feature's request is done. */
  | { readonly kind: 'feature'; readonly notice: FeatureNotice; readonly isResolved: boolean }
  | { readonly kind: 'history_end' }
  | { readonly kind: 'ended'; readonly reason: EndReason };
