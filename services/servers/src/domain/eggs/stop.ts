import type { GameSignal } from '@panel/runtime';

type StopMethod =
  { readonly kind: 'command'; readonly command: string } | { readonly kind: 'signal'; readonly signal: GameSignal };

const signals: Readonly<Record<string, GameSignal>> = {
  C: 'SIGINT',
  // Older eggs write "^^C".
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

/** A signal without its `^`: a command. */
export function isBareSignal(stop: string): boolean {
  return /^SIG[A-Z0-9]+$/i.test(stop) && signals[stop.toUpperCase()] !== undefined;
}

/** `^…` is a signal, else a command; unknown or empty: SIGTERM. */
export function parseStop(stop: string): StopMethod {
  const text = stop.trim();
  if (text === '') return { kind: 'signal', signal: 'SIGTERM' };
  if (!text.startsWith('^')) return { kind: 'command', command: text };
  return { kind: 'signal', signal: signals[text.slice(1).toUpperCase()] ?? 'SIGTERM' };
}
