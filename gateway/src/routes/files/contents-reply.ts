import { setImmediate } from 'node:timers/promises';
import type { RouteRequest } from '../../declaration/route.js';
import { RawReply } from '../../http/raw-reply.js';
import { streamedBody } from '../../http/streamed-body.js';
import type { ContentsFacts } from '../../threads/contents-json.js';

export type ContentsRequest = Pick<RouteRequest, 'caller' | 'ip' | 'jsonThreads' | 'rpc' | 'signal'>;

/** A file as `fileContents`. Takes the memory of `bytes`. */
export async function contentsReply(
  { caller, ip, jsonThreads, signal }: ContentsRequest,
  bytes: Buffer,
  facts: ContentsFacts,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  const pieces = await jsonThreads.contents(bytes, facts, { key: caller?.identity.userId ?? ip, signal });
  return new RawReply('application/json', streamedBody(inTurns(pieces)), { headers });
}

/** Other requests have their turn after each piece. */
export async function* inTurns(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}
