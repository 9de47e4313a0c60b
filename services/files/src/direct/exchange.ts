import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FilesContext } from '../context.js';
import type { DirectAuthority } from './authority.js';

/** A request with a valid signature. */
export interface DirectExchange {
  readonly context: FilesContext;
  readonly authority: DirectAuthority;
  readonly serverId: string;
  /** Of the link or upload. */
  readonly id: string;
  /** Of the client. */
  readonly ip: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts on disconnect. */
  readonly signal: AbortSignal;
}
