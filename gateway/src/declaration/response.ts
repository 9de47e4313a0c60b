import type { z } from 'zod';

export type ResponseRule<T = unknown> =
  /** Envelope, or raw bytes of `rawTypes` if accepted. */
  | { readonly kind: 'one'; readonly schema: z.ZodType<T>; readonly rawTypes?: readonly string[] }
  /** `extraMeta`: fields of `meta` beside pagination. */
  | { readonly kind: 'list'; readonly schema: z.ZodType<T>; readonly extraMeta?: z.ZodObject }
  /** No body. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'raw'; readonly types: readonly string[] }
  /** WebSocket with JSON messages. */
  | { readonly kind: 'socket'; readonly sends: z.ZodType; readonly receives: z.ZodType };

export interface ListResult<T> {
  readonly items: readonly T[];
  readonly page: { readonly page: number; readonly perPage: number; readonly total: number } | undefined;
  /** Merged into `meta`. */
  readonly extraMeta?: Readonly<Record<string, unknown>>;
}

export const one = <S extends z.ZodType>(schema: S) => ({ kind: 'one' as const, schema });
export const list = <S extends z.ZodType>(schema: S, extraMeta?: z.ZodObject) => ({
  kind: 'list' as const,
  schema,
  extraMeta,
});
export const empty = { kind: 'empty' as const };
export const raw = (...types: string[]) => ({ kind: 'raw' as const, types });
