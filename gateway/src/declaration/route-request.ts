import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallOptions } from '@panel/rpc';
import type { Caller, KnownCredential } from '../auth/identity.js';
import type { QuotaState } from '../limits/rules.js';
import type { Services } from '../services.js';
import type { PanelSettings } from '../settings/panel-settings.js';
import type { JsonThreads } from '../threads/json-threads.js';

/** Authenticated, authorised and validated. */
export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly services: Services;
  /** As last read. */
  readonly panelSettings: PanelSettings;
  readonly jsonThreads: Pick<JsonThreads, 'contents'>;
  /** As the caller, within the remaining time. */
  readonly rpc: CallOptions;
  /** As the gateway: for reads already authorised here. */
  readonly asGateway: CallOptions;
  /** As the owner of a credential that is still valid. Throws UNAUTHENTICATED, TWO_FACTOR_REQUIRED. */
  rpcOfMaker(credential: KnownCredential): Promise<CallOptions>;
  /** Null on public routes. */
  readonly caller: Caller | null;
  readonly ip: string;
  /** Of the caller, as a trusted proxy says; empty: unknown. */
  readonly country: string;
  /** Of routes of the class `upload`, after authorisation; no-op on others. Throws RATE_LIMIT_EXCEEDED. */
  countUpload(): Promise<void>;
  /** A quota that a service has counted. */
  readonly showQuota: (quota: QuotaState) => void;
  /** By the Accept header; the first if none matches. */
  preferredType(types: readonly string[]): string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of an installation with a test clock; null: others. */
  readonly testTime: () => Date | null;
  readonly maxUploadBytes: number;
  /** Aborted on disconnect; for streams. */
  readonly signal: AbortSignal;
  readonly rawExchange: RawExchange;
}

export interface RawExchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Tightest rate limit. */
  readonly rate: QuotaState | undefined;
  /** The handler writes the response. */
  takeOver(): void;
}
