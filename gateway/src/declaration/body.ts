import { z } from 'zod';

/** What a request may carry as its body. */
export type BodyRule<T = unknown> =
  | { readonly kind: 'json'; readonly schema: z.ZodType<T> }
  /** Raw bytes up to `maxBytes`, of one of these content types. */
  | { readonly kind: 'bytes'; readonly types: readonly string[]; readonly maxBytes: number }
  /** A stream of raw bytes that the handler reads; it checks their type, which is documented here. */
  | { readonly kind: 'stream'; readonly type: string }
  /** JSON, or a stream of raw bytes that the handler reads. */
  | { readonly kind: 'upload'; readonly schema: z.ZodType<T> };

/** The body of a request of kind `bytes`. */
export interface BytesBody {
  readonly bytes: Buffer;
  /** Without parameters, in lower case. */
  readonly type: string;
}

/** The body of a request of kind `stream`. */
export interface StreamBody {
  /** Throws when the client disconnects early. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** The content type of uploaded bytes. */
export const uploadType = 'application/octet-stream';

/** The body of a request of kind `upload`. */
export type UploadBody<T = unknown> =
  | { readonly kind: 'json'; readonly value: T }
  | {
      readonly kind: 'stream';
      /** Throws when the client disconnects early. */
      readonly chunks: AsyncIterable<Buffer>;
      /** From Content-Length; null for a chunked request. */
      readonly sizeBytes: number | null;
    };

export const json = <S extends z.ZodType>(schema: S) => ({ kind: 'json' as const, schema });

/** Schema of a POST without input: no body, or an empty object. */
export const noBody = z.strictObject({});
