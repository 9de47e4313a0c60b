import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FilesContext } from '../context.js';
import type { DirectAuthority } from './authority.js';

/** Its signature is valid. */
export interface DirectExchange {
  readonly context: FilesContext;
  readonly authority: DirectAuthority;
  readonly serverId: string;
  readonly id: string;
  readonly ip: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts on disconnect. */
  readonly signal: AbortSignal;
}
