import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallOptions } from '@panel/rpc';
import type { Caller, KnownCredential } from '../auth/identity.js';
import type { QuotaState } from '../limits/rules.js';
import type { Services } from '../services.js';
import type { PanelSettings } from '../settings/panel-settings.js';

/** The input of a route handler: authenticated, authorised and validated. */
export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly services: Services;
  /** The settings as last read. */
  readonly panelSettings: PanelSettings;
  /** Options for an RPC on behalf of the caller, within the remaining time of this request. */
  readonly rpc: CallOptions;
  /** Options for an RPC as the gateway itself: for reads that this handler has already authorised. */
  readonly asGateway: CallOptions;
  /**
   * Options for an RPC on behalf of the owner of a session or an API key, if it is still valid. Throws
   * UNAUTHENTICATED, TWO_FACTOR_REQUIRED.
   */
  rpcOfMaker(credential: KnownCredential): Promise<CallOptions>;
  /** Null on public routes. */
  readonly caller: Caller | null;
  readonly ip: string;
  /** Count an upload for its server, once access to it is decided. Throws RATE_LIMITED. */
  countServer(): Promise<void>;
  /** The one of `types` that the Accept header prefers; the first when it takes none of them. */
  preferredType(types: readonly string[]): string;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly maxUploadBytes: number;
  /** Aborted when the client disconnects; for handlers that stream. */
  readonly signal: AbortSignal;
  /** The connection, for handlers that take it over. */
  readonly rawExchange: RawExchange;
}

/** The HTTP request and response of Node. */
export interface RawExchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** State of the tightest rate limit of this request. */
  readonly rate: QuotaState | undefined;
  /** The handler writes the response itself; the middleware writes nothing more. */
  takeOver(): void;
}
