import type { Readable } from 'node:stream';

/** Response without envelope. */
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
