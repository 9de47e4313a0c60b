import { AppError } from '@panel/kit/errors';
import { z } from 'zod';
import { asSentence } from '@panel/rpc';

/** Shared by all resources. */
export const time = z.iso.datetime();

/** Null: absent. */
export function isoTime(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}

/** Always present. */
export function isoTimeOf(date: Date | undefined): string {
  return required(date, 'time').toISOString();
}

/** Throws instead of a wrong response. */
export function required<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new AppError('internal', 'INTERNAL', `a service left out ${name}`);
}

/** As a sentence; null: none. */
export function failureOrNull(text: string): string | null {
  return text === '' ? null : asSentence(text);
}

/** Empty means null. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
