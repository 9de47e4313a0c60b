import type { ServerResponse } from 'node:http';
import { fail } from '../reasons.js';

/** Aborted on disconnect. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort(fail('CLIENT_GONE', 'the client disconnected')));
  return gone.signal;
}
