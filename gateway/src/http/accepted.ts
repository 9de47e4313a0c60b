import { RawReply } from './raw-reply.js';

/** 202 with the usual envelope: the work waits, and `data` says for what. */
export function accepted(data: unknown): RawReply {
  return new RawReply('application/json', JSON.stringify({ data }), { status: 202 });
}
