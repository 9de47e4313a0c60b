import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FilesContext } from '../context.js';
import type { DirectAuthority } from './authority.js';

/** One request of a client to a direct address whose signature is right. */
export interface DirectExchange {
  readonly context: FilesContext;
  readonly authority: DirectAuthority;
  readonly serverId: string;
  /** Of the link or the upload. */
  readonly id: string;
  /** Of the client. */
  readonly ip: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}
