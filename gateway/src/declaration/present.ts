import { AppError } from '@panel/kit/errors';
import { z } from 'zod';
import { asSentence } from '@panel/rpc';

/** Schemas and functions that every resource presents itself with. */
export const time = z.iso.datetime();

/** A time as the API writes it; null when it is not there. */
export function isoTime(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}

/** A time that a service always sends. */
export function isoTimeOf(date: Date | undefined): string {
  return required(date, 'time').toISOString();
}

/** A message field that a service always fills in; without it the answer would be wrong, so there is none. */
export function required<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new AppError('internal', 'INTERNAL', `a service left out ${name}`);
}

/** What failed, as a sentence; null when nothing did. */
export function failureOrNull(text: string): string | null {
  return text === '' ? null : asSentence(text);
}

/** Texts the services send empty when there is none. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
