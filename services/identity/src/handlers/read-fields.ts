import { invalidFields, issueMessages } from '@panel/kit/errors';
import { z } from 'zod';

/** Absent fields must not be written as undefined. */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** All problems at once. Throws INVALID_FIELDS by field name. */
export function readFields<S extends z.ZodRawShape>(
  shape: S,
  given: { readonly [K in keyof S]: unknown },
): z.output<z.ZodObject<S>> {
  const result = z.object(shape).safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  // Of a list the list is named; the message says which of its entries.
  throw invalidFields(issueMessages(result.error.issues.map((issue) => ({ ...issue, path: issue.path.slice(0, 1) }))));
}
