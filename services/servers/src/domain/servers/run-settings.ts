import type { FieldMessages } from '@panel/kit/errors';
import { isProcessorList, isTimezone, maxProcessor } from '@panel/kit/text';
import type { EggConfig } from '../eggs/egg.js';

export const autoStarts = ['always', 'unless_stopped', 'never'] as const;
/**
 * What becomes of a server when its node, or a panel that ends games with itself, starts anew: `always` starts it also when
 * it was stopped, `unless_stopped` when it ran, `never` leaves it offline.
 */
export type AutoStart = (typeof autoStarts)[number];

/** How staff have a server run. */
export interface RunSettings {
  readonly autoStart: AutoStart;
  /** IANA name; empty: the egg's, else the panel's. */
  readonly timezone: string;
  /** Processors the game may use, as "0-3,6"; empty: all. */
  readonly threads: string;
  /** The kernel halts a game that reaches its memory limit instead of ending it. */
  readonly isOomKillDisabled: boolean;
  /** Between the stop and the kill; null: the egg's, else the panel's. */
  readonly stopGraceSeconds: number | null;
}

const defaultRunSettings: RunSettings = {
  autoStart: 'unless_stopped',
  timezone: '',
  threads: '',
  isOomKillDisabled: false,
  stopGraceSeconds: null,
};

interface WithRunSettings {
  readonly runSettings?: Partial<RunSettings>;
}

export function runSettingsOf({ runSettings }: WithRunSettings): RunSettings {
  return { ...defaultRunSettings, ...runSettings };
}

/** What a game has between its stop and the kill: as the server says, else its egg, else the panel. */
export function stopGraceMsOf(
  server: WithRunSettings & { readonly egg: { readonly config: Pick<EggConfig, 'stopGraceSeconds'> } },
  defaultMs: number,
): number {
  const seconds = runSettingsOf(server).stopGraceSeconds ?? server.egg.config.stopGraceSeconds ?? null;
  return seconds === null ? defaultMs : seconds * 1000;
}

export const maxStopGraceSeconds = 24 * 60 * 60;

/** Messages by field, in the names of the REST API; empty when all is well. */
export function checkRunSettings(settings: Partial<RunSettings>): FieldMessages {
  const fields: FieldMessages = {};
  const { timezone = '', threads = '', stopGraceSeconds = null } = settings;
  if (timezone !== '' && !isTimezone(timezone)) fields['timezone'] = ['must be a time zone like Europe/Berlin'];
  if (threads !== '' && !isProcessorList(threads))
    fields['threads'] = [`must be processors from 0 to ${maxProcessor} like 0-3,6`];
  if (!isStopGrace(stopGraceSeconds)) fields['stop_grace'] = [`must be from 1 to ${maxStopGraceSeconds} seconds`];
  return fields;
}

export function isStopGrace(seconds: number | null): boolean {
  return seconds === null || (Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= maxStopGraceSeconds);
}
