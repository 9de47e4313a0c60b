import { z } from 'zod';

export type BodyRule<T = unknown> =
  | { readonly kind: 'json'; readonly schema: z.ZodType<T> }
  /** Up to `maxBytes`, of one of `types`. */
  | { readonly kind: 'bytes'; readonly types: readonly string[]; readonly maxBytes: number }
  /** The handler reads and checks it; `type` is documentation. */
  | { readonly kind: 'stream'; readonly type: string }
  /** JSON with a file in `content`, or bytes that the handler reads. */
  | { readonly kind: 'upload'; readonly schema: z.ZodType<T> };

/** Kind `bytes`. */
export interface BytesBody {
  readonly bytes: Buffer;
  /** Lower case, without parameters. */
  readonly type: string;
}

/** Kind `stream`. */
export interface StreamBody {
  /** Throws on early disconnect. */
  readonly chunks: AsyncIterable<Buffer>;
}

export const uploadType = 'application/octet-stream';

/** Kind `upload`. */
export type UploadBody<T = unknown> =
  | {
      readonly kind: 'json';
      readonly value: T;
      /** Decoded; that of `value` is empty. */
      readonly content: Buffer;
    }
  | {
      readonly kind: 'stream';
      /** Throws on early disconnect. */
      readonly chunks: AsyncIterable<Buffer>;
      /** Content-Length; null: chunked. */
      readonly sizeBytes: number | null;
    };

export const json = <S extends z.ZodType>(schema: S) => ({ kind: 'json' as const, schema });

/** No body, or an empty object. */
export const noBody = z.strictObject({});
