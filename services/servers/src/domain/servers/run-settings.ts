import { type FieldMessages, fieldProblem } from '@panel/kit/errors';
import { flag, number, oneOf, optional, type RecordOf, text } from '@panel/kit/records';
import { isProcessorList, isTimezone, maxProcessor } from '@panel/kit/text';
import type { EggConfig } from '../eggs/egg.js';

export const autoStarts = ['always', 'unless_stopped', 'never'] as const;
/**
 * At a restart of the node, or of a panel that ends its games: `always` starts the server, `unless_stopped` if it ran.
 */
export type AutoStart = (typeof autoStarts)[number];

/** Set by staff. */
export const runSettingsFields = {
  autoStart: optional(oneOf(autoStarts)),
  /** IANA name; empty: the egg's, else the panel's. */
  timezone: optional(text),
  /** CPU list like "0-3,6"; empty: all. */
  threads: optional(text),
  /** The kernel halts the game at its memory limit instead of a kill. */
  isOomKillDisabled: optional(flag),
  /** Null: the egg's, else the panel's. */
  stopGraceSeconds: optional<number | null>(number),
};
export type RunSettings = Required<RecordOf<typeof runSettingsFields>>;

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

/** The server's, else the egg's, else the panel's. */
export function stopGraceMsOf(
  server: WithRunSettings & { readonly egg: { readonly config: Pick<EggConfig, 'stopGraceSeconds'> } },
  defaultMs: number,
): number {
  const seconds = runSettingsOf(server).stopGraceSeconds ?? server.egg.config.stopGraceSeconds ?? null;
  return seconds === null ? defaultMs : seconds * 1000;
}

export const maxStopGraceSeconds = 24 * 60 * 60;

/** Messages by REST field. */
export function checkRunSettings(settings: Partial<RunSettings>): FieldMessages {
  const fields: FieldMessages = {};
  const { timezone = '', threads = '', stopGraceSeconds = null } = settings;
  if (timezone !== '' && !isTimezone(timezone)) fields['timezone'] = ['must be a time zone like Europe/Berlin'];
  if (threads !== '' && !isProcessorList(threads))
    fields['threads'] = [`must be processors from 0 to ${maxProcessor} like 0-3,6`];
  if (!isStopGrace(stopGraceSeconds))
    fields['stop_grace'] = [fieldProblem('out_of_range', `must be from 1 to ${maxStopGraceSeconds} seconds`)];
  return fields;
}

export function isStopGrace(seconds: number | null): boolean {
  return seconds === null || (Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= maxStopGraceSeconds);
}
