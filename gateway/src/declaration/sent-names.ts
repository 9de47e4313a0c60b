import { AppError, isAppError } from '@panel/kit/errors';

/** A field of the service → the field of the body that set it. */
export type SentNames = Readonly<Record<string, string>>;

/** Validation errors of the call name what the client sent, where a body has two forms. */
export async function withSentNames<T>(names: SentNames, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isAppError(error, 'INVALID_FIELDS')) throw error;
    const { kind, reason, message, metadata } = error;
    const sent = { fields: rename(names, metadata['fields']), reasons: rename(names, metadata['reasons']) };
    throw new AppError(kind, reason, message, { ...metadata, ...sent }, { cause: error });
  }
}

function rename(names: SentNames, fields: unknown): object {
  return Object.fromEntries(Object.entries(fields ?? {}).map(([field, value]) => [sentName(names, field), value]));
}

function sentName(names: SentNames, field: string): string {
  const known = Object.keys(names).find((name) => field === name || field.startsWith(`${name}.`));
  return known === undefined ? field : `${names[known]}${field.slice(known.length)}`;
}
