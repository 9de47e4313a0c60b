import { createHash } from 'node:crypto';
import type { FileEntry } from '@panel/protos/files';
import { isoTime } from '../../declaration/present.js';
import { RawReply } from '../../http/raw-reply.js';
import { streamedBody } from '../../http/streamed-body.js';

/** A multiple of three: pieces of base64 without padding. */
const base64Bytes = 3 * 64 * 1024;

/** A file as `fileContents`, decoded and hashed as it comes, so that no step takes longer than a piece of it. */
export class ContentsJson {
  readonly #chunks: Buffer[] = [];
  readonly #hash = createHash('sha256');
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** Null: no text. */
  #texts: string[] | null = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#hash.update(chunk);
    this.#size += chunk.length;
    this.#decode(chunk);
  }

  /** Call it once. */
  reply(path: string, entry: Pick<FileEntry, 'modifyTime'>, headers: Readonly<Record<string, string>> = {}): RawReply {
    return new RawReply('application/json', streamedBody(this.pieces(path, entry)), { headers });
  }

  /** In its envelope. Call it once. */
  *pieces(path: string, { modifyTime }: Pick<FileEntry, 'modifyTime'>): Generator<Buffer> {
    this.#decode(null);
    const facts = {
      path,
      encoding: this.#texts ? 'utf-8' : 'base64',
      size: this.#size,
      modified_at: isoTime(modifyTime),
      sha256: this.#hash.digest('hex'),
    };
    yield Buffer.from(`{"data":${JSON.stringify(facts).slice(0, -1)},"content":"`);
    // A pair that lies in two texts is escaped in halves, which are one again when read.
    if (this.#texts) for (const text of this.#texts) yield Buffer.from(JSON.stringify(text).slice(1, -1));
    else yield* this.#base64();
    yield Buffer.from('"}}');
  }

  #decode(chunk: Buffer | null): void {
    try {
      this.#texts?.push(chunk ? this.#decoder.decode(chunk, { stream: true }) : this.#decoder.decode());
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#texts = null;
    }
  }

  *#base64(): Generator<Buffer> {
    const bytes = Buffer.concat(this.#chunks, this.#size);
    for (let from = 0; from < bytes.length; from += base64Bytes)
      yield Buffer.from(bytes.subarray(from, from + base64Bytes).toString('base64'));
  }
}
