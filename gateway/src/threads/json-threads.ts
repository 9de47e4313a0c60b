import { defaultThreads, errorOf, ownBytes, ThreadTurns } from '@panel/kit/threads';
import { readUploadedJson } from '../http/uploaded-json.js';
import type { UploadBody } from '../declaration/body.js';
import { fail } from '../reasons.js';
import { type ContentsFacts, contentsJson } from './contents-json.js';
import type { JsonJob, JsonResponse } from './json-thread.js';

/** Less is done in the loop: 2 ms, as long as the way to a thread and back. */
const minBytes = 256 * 1024;
const maxThreads = Math.min(2, defaultThreads);
/** Of a caller: a minute's requests of the default limit. */
const maxWaiting = 64;
const maxWaitMs = 10_000;
/** A start takes 3 ms of the loop. */
const idleMs = 60_000;
/** JSON of 4 MiB takes about 100. */
const maxHeapMb = 256;

interface JsonCaller {
  /** A user or an address. */
  readonly key: string;
  readonly signal: AbortSignal;
}

type JsonUpload = Extract<UploadBody, { kind: 'json' }>;

/** Reads and makes large JSON in threads: a caller has one at a time, and callers take turns. */
export class JsonThreads {
  readonly #threads: ThreadTurns<JsonJob, JsonResponse>;

  constructor() {
    const refusal = () => fail('BODY_BUDGET_EXHAUSTED', 'too many of your own large requests are in progress');
    const late = () => fail('BODY_BUDGET_EXHAUSTED', 'other large requests have not ended in time; try again');
    const wait = { maxWaiting, refusal, maxWaitMs, late };
    const script = new URL('./json-thread.js', import.meta.url);
    this.#threads = new ThreadTurns(script, { maxHeapMb, idleMs, concurrency: maxThreads, wait });
  }

  /** As `contentsJson`. Takes the memory of `bytes`. Throws BODY_BUDGET_EXHAUSTED, the reason of the signal. */
  async contents(bytes: Buffer, facts: ContentsFacts, caller: JsonCaller): Promise<Iterable<Buffer>> {
    if (bytes.length < minBytes) return contentsJson(bytes, facts);
    const response = await this.#run({ kind: 'contents', bytes: ownBytes(bytes), facts }, caller);
    return response.kind === 'contents' ? freed(response.pieces.map(asBuffer)) : unlike(response);
  }

  /** As `readUploadedJson`. Takes the memory of `bytes`. Throws BODY_BUDGET_EXHAUSTED, the reason of the signal. */
  async upload(bytes: Buffer, caller: JsonCaller): Promise<JsonUpload> {
    if (bytes.length < minBytes) return asUpload(readUploadedJson(bytes));
    const response = await this.#run({ kind: 'upload', bytes: ownBytes(bytes) }, caller);
    return response.kind === 'upload' ? asUpload(response.uploaded) : unlike(response);
  }

  /** A caller who leaves does not end it: it takes milliseconds. */
  async #run(job: JsonJob & { readonly bytes: Uint8Array<ArrayBuffer> }, { key, signal }: JsonCaller) {
    return this.#threads.run(key, job, { transfer: [job.bytes.buffer], signal });
  }
}

function unlike(response: JsonResponse): never {
  throw response.kind === 'refused' || response.kind === 'failed' ? errorOf(response) : new TypeError(response.kind);
}

function asUpload({ value, content }: { readonly value: unknown; readonly content: Uint8Array }): JsonUpload {
  return { kind: 'json', value, content: asBuffer(content) };
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Each is held until it is read. */
function* freed(pieces: Buffer[]): Generator<Buffer> {
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) yield piece;
}
