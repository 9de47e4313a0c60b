import type { GameSignal } from '@panel/runtime';

/** How a game is asked to end. */
type StopMethod =
  { readonly kind: 'command'; readonly command: string } | { readonly kind: 'signal'; readonly signal: GameSignal };

const signals: Readonly<Record<string, GameSignal>> = {
  C: 'SIGINT',
  // "^^C" is how eggs of the years wrote it when "^C" did not reach the process.
  '^C': 'SIGINT',
  SIGINT: 'SIGINT',
  SIGTERM: 'SIGTERM',
  SIGQUIT: 'SIGQUIT',
  SIGHUP: 'SIGHUP',
  SIGABRT: 'SIGABRT',
  SIGUSR1: 'SIGUSR1',
  SIGUSR2: 'SIGUSR2',
  SIGKILL: 'SIGKILL',
};

/** Whether a stop like "^X" names no signal, so that SIGTERM is sent. */
export function isUnknownSignal(stop: string): boolean {
  const text = stop.trim();
  return text.startsWith('^') && signals[text.slice(1).toUpperCase()] === undefined;
}

/** The stop method of an egg: text is a console command, `^…` a signal; an unknown signal or no text is SIGTERM. */
export function parseStop(stop: string): StopMethod {
  const text = stop.trim();
  if (text === '') return { kind: 'signal', signal: 'SIGTERM' };
  if (!text.startsWith('^')) return { kind: 'command', command: text };
  return { kind: 'signal', signal: signals[text.slice(1).toUpperCase()] ?? 'SIGTERM' };
}
