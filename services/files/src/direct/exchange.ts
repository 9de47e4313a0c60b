import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MonotonicClock } from '@panel/kit/async';
import type { FilesContext } from '../context.js';
import type { TransferPlaces } from '../workspace/transfer-places.js';
import type { DirectAuthority } from './authority.js';

/** Its signature is valid. */
export interface DirectExchange {
  readonly context: FilesContext;
  readonly authority: DirectAuthority;
  /** Of files; packed directories have their own. */
  readonly downloads: TransferPlaces;
  /** Of pieces. */
  readonly uploads: TransferPlaces;
  readonly monotonicClock: MonotonicClock;
  readonly serverId: string;
  readonly id: string;
  readonly ip: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts on disconnect. */
  readonly signal: AbortSignal;
}
