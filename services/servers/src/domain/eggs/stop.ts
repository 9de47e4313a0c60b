import type { GameSignal } from '@panel/runtime';

type StopMethod =
  { readonly kind: 'command'; readonly command: string } | { readonly kind: 'signal'; readonly signal: GameSignal };

const signals: Readonly<Record<string, GameSignal>> = {
  C: 'SIGINT',
  // Older eggs use "^^C", from a time when "^C" did not reach the process.
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

/** Then SIGTERM is sent. */
export function isUnknownSignal(stop: string): boolean {
  const text = stop.trim();
  return text.startsWith('^') && signals[text.slice(1).toUpperCase()] === undefined;
}

/** Text is a console command, `^…` a signal; an unknown signal or no text is SIGTERM. */
export function parseStop(stop: string): StopMethod {
  const text = stop.trim();
  if (text === '') return { kind: 'signal', signal: 'SIGTERM' };
  if (!text.startsWith('^')) return { kind: 'command', command: text };
  return { kind: 'signal', signal: signals[text.slice(1).toUpperCase()] ?? 'SIGTERM' };
}
