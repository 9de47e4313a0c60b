import type { Readable } from 'node:stream';

/** An answer that is not an envelope: a file, a document. */
export class RawReply {
  constructor(
    readonly type: string,
    readonly body: Buffer | string | Readable,
    readonly options: {
      readonly status?: number;
      readonly length?: number;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {}
}
