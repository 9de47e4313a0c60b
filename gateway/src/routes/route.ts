import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallOptions } from '@panel/rpc';
import type { AdminPermission } from '@panel/protos/identity';
import type { ServerPermission } from '@panel/protos/servers';
import type { z } from 'zod';
import type { Caller } from '../auth/identity.js';
import type { RawReply } from '../http/raw-reply.js';
import type { QuotaState, RateClass } from '../limits/rules.js';
import type { Services } from '../services.js';

/** Who may use a route. */
export type Access =
  /** Anybody; credentials are not looked at. */
  | { readonly kind: 'public' }
  /** Anybody who is signed in. */
  | { readonly kind: 'account' }
  /** Whoever's role has the permission. */
  | { readonly kind: 'admin'; readonly permission: AdminPermission }
  /** Whoever has one of the permissions on the server `{id}`; no permission named: any access to it. */
  | { readonly kind: 'server'; readonly permissions: readonly ServerPermission[] };

export const open: Access = { kind: 'public' };
export const account: Access = { kind: 'account' };
export const admin = (permission: AdminPermission): Access => ({ kind: 'admin', permission });
export const server = (...permissions: ServerPermission[]): Access => ({ kind: 'server', permissions });

/** What a request may carry as its body. */
export type BodyRule<T = unknown> =
  | { readonly kind: 'json'; readonly schema: z.ZodType<T> }
  /** The bytes as they are, up to `maxBytes`, of one of these content types. */
  | { readonly kind: 'bytes'; readonly types: readonly string[]; readonly maxBytes: number }
  /** JSON up to `maxJsonBytes`, or the bytes as they come, not yet read. */
  | { readonly kind: 'upload'; readonly schema: z.ZodType<T>; readonly maxJsonBytes: number };

/** The body of a request of kind `bytes`. */
export interface BytesBody {
  readonly bytes: Buffer;
  /** Without parameters, in lower case. */
  readonly type: string;
}

/** The content type of bytes that are uploaded. */
export const uploadType = 'application/octet-stream';

/** The body of a request of kind `upload`. */
export type UploadBody<T = unknown> =
  | { readonly kind: 'json'; readonly value: T }
  | {
      readonly kind: 'stream';
      /** Ends early with an error when the client does. */
      readonly chunks: AsyncIterable<Buffer>;
      /** As declared; null when the client does not know. */
      readonly sizeBytes: number | null;
    };

/** What an answer holds. */
export type AnswerRule<T = unknown> =
  /** An envelope; bytes of one of the raw types where the client asks for them. */
  | { readonly kind: 'one'; readonly schema: z.ZodType<T>; readonly rawTypes?: readonly string[] }
  /** An envelope with `meta`; `notes` are what its `meta` says beyond pages. */
  | { readonly kind: 'list'; readonly schema: z.ZodType<T>; readonly notes?: z.ZodObject }
  /** No body. */
  | { readonly kind: 'empty' }
  /** Bytes of one of these content types. */
  | { readonly kind: 'raw'; readonly types: readonly string[] }
  /** The connection becomes a WebSocket, for messages in JSON. */
  | { readonly kind: 'socket'; readonly sends: z.ZodType; readonly receives: z.ZodType };

/** What work on a list answers. */
export interface ListResult<T> {
  readonly items: readonly T[];
  readonly page: { readonly page: number; readonly perPage: number; readonly total: number } | undefined;
  /** Added to `meta`. */
  readonly notes?: Readonly<Record<string, unknown>>;
}

/** What a route's work is given: everything has been checked. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly services: Services;
  /** Options for a call to a service in the caller's name, within what is left of this request's time. */
  readonly rpc: CallOptions;
  /** The same in the gateway's own name: for what has been decided here already. */
  readonly asGateway: CallOptions;
  /** Null on public routes. */
  readonly caller: Caller | null;
  readonly ip: string;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly maxUploadBytes: number;
  /** Aborted when the client is gone; for work that streams. */
  readonly signal: AbortSignal;
  /** The connection, for work that takes it over. */
  readonly exchange: Exchange;
}

/** A request and its answer in the raw. */
export interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Where the request stands with its rate limits. */
  readonly rate: QuotaState | undefined;
  /** From here on the caller answers, not the middleware. */
  takeOver(): void;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One endpoint: everything the router, the documentation and the tests know about it. */
export interface Route {
  readonly method: Method;
  /** With `{id}` for ids; every one of them is a UUID. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  readonly rate: RateClass;
  readonly query: z.ZodObject | null;
  readonly body: BodyRule | null;
  readonly answer: AnswerRule;
  readonly status: number;
  /** May be used by somebody who has yet to set up the two-factor authentication that the settings demand. */
  readonly isSetUp: boolean;
  /** Null: reserved; answers 501 once the caller may use it. */
  readonly work: ((call: Call) => Promise<unknown>) | null;
}

type Snake<Name extends string> = Name extends `${infer Head}-${infer Tail}` ? `${Head}_${Snake<Tail>}` : Name;

/** `/servers/{id}/backups/{backup-id}` → `{ id: string; backup_id: string }`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Snake<Name>]: string } & ParamsOf<Rest>
  : unknown;

type QueryOf<Q> = Q extends z.ZodType ? z.output<Q> : Record<string, never>;
type BodyOf<B> = B extends { kind: 'json'; schema: infer S extends z.ZodType }
  ? z.output<S>
  : B extends { kind: 'bytes' }
    ? BytesBody
    : B extends { kind: 'upload'; schema: infer S extends z.ZodType }
      ? UploadBody<z.output<S>>
      : undefined;
type ResultOf<A> = A extends { kind: 'one'; schema: infer S extends z.ZodType }
  ? z.input<S> | RawReply
  : A extends { kind: 'list'; schema: infer S extends z.ZodType }
    ? ListResult<z.input<S>>
    : A extends { kind: 'raw' }
      ? RawReply
      : void;

interface RouteSpec<Path extends string, Q, B, A> {
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly access: Access;
  readonly rate: RateClass;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: A;
  /** Default 200; 204 where there is no body. */
  readonly status?: number;
  readonly isSetUp?: boolean;
  readonly work: (call: Call<ParamsOf<Path>, QueryOf<Q>, BodyOf<B>>) => Promise<ResultOf<A>>;
}

/** Declare an endpoint. The types of parameters, query, body and result follow from the declaration. */
export function route<
  const Path extends string,
  A extends AnswerRule<never> | AnswerRule,
  Q extends z.ZodObject | undefined = undefined,
  B extends BodyRule<never> | BodyRule | undefined = undefined,
>(spec: RouteSpec<Path, Q, B, A>): Route {
  const { method, path, summary, access, rate, query, body, answer, work } = spec;
  return {
    method,
    path,
    summary,
    access,
    rate,
    query: query ?? null,
    body: body ?? null,
    answer,
    status: spec.status ?? (answer.kind === 'empty' ? 204 : 200),
    isSetUp: spec.isSetUp ?? false,
    work: work as (call: Call) => Promise<unknown>,
  };
}

/** Declare an endpoint that is reserved and not built yet. */
export function planned(
  method: Method,
  path: string,
  summary: string,
  access: Access,
  rate: RateClass = 'general',
): Route {
  const answer: AnswerRule = { kind: 'empty' };
  const nothing = { query: null, body: null, isSetUp: false, work: null };
  return { method, path, summary, access, rate, answer, status: 501, ...nothing };
}

export const json = <S extends z.ZodType>(schema: S) => ({ kind: 'json' as const, schema });
export const one = <S extends z.ZodType>(schema: S) => ({ kind: 'one' as const, schema });
export const list = <S extends z.ZodType>(schema: S, notes?: z.ZodObject) => ({ kind: 'list' as const, schema, notes });
export const empty = { kind: 'empty' as const };
export const raw = (...types: string[]) => ({ kind: 'raw' as const, types });
