import { parentPort, type Transferable } from 'node:worker_threads';
import { ownBytes, type ThreadFailure, threadFailureOf } from '@panel/kit/threads';
import { readUploadedJson, type UploadedJson } from '../http/uploaded-json.js';
import { type ContentsFacts, contentsJson } from './contents-json.js';

/** The bytes are transferred. */
export type JsonJob =
  | { readonly kind: 'contents'; readonly bytes: Uint8Array; readonly facts: ContentsFacts }
  | { readonly kind: 'upload'; readonly bytes: Uint8Array };

export type JsonResponse =
  | { readonly kind: 'contents'; readonly pieces: readonly Uint8Array[] }
  | { readonly kind: 'upload'; readonly uploaded: UploadedJson }
  | ThreadFailure;

/** Freed one by one while the client reads. */
const joinedBytes = 256 * 1024;

parentPort?.on('message', (job: JsonJob) => {
  const response = answer(job);
  parentPort?.postMessage(response, memoryOf(response));
});

function answer(job: JsonJob): JsonResponse {
  try {
    if (job.kind === 'contents') return { kind: 'contents', pieces: [...joined(contentsJson(job.bytes, job.facts))] };
    const { value, content } = readUploadedJson(job.bytes);
    return { kind: 'upload', uploaded: { value, content: ownBytes(content) } };
  } catch (error) {
    return threadFailureOf(error);
  }
}

function memoryOf(response: JsonResponse): Transferable[] {
  if (response.kind === 'contents') return response.pieces.map(({ buffer }) => buffer as ArrayBuffer);
  return response.kind === 'upload' ? [response.uploaded.content.buffer as ArrayBuffer] : [];
}

function* joined(pieces: Iterable<Buffer>): Generator<Uint8Array> {
  let held: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < joinedBytes) continue;
    yield ownBytes(Buffer.concat(held, size));
    held = [];
    size = 0;
  }
  yield ownBytes(Buffer.concat(held, size));
}
