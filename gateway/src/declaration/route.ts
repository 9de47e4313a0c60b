import type { z } from 'zod';
import type { JsonList, JsonValue } from '../http/json-reply.js';
import type { HeadedReply } from '../http/headed-reply.js';
import type { RawReply } from '../http/raw-reply.js';
import type { RateClass } from '../limits/rules.js';
import type { Access } from './access.js';
import type { BodyRule, BytesBody, StreamBody, UploadBody } from './body.js';
import type { RequestHeader } from './request-headers.js';
import type { OwnHeader } from './response-headers.js';
import type { ListResult, ResponseRule } from './response.js';
import type { RouteRequest } from './route-request.js';

export * from './access.js';
export * from './body.js';
export * from './response.js';
export type * from './route-request.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** 401 on public routes, 404 without an id, those of ranges and protocols. */
type OwnRefusal = 401 | 404 | 412 | 416;

/** Source of router, documentation and tests. */
export interface Route {
  readonly method: Method;
  /** Parameters are UUIDs but for `{name}` (`isNameParameter`). */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  readonly rate: RateClass;
  readonly query: z.ZodObject | null;
  readonly body: BodyRule | null;
  readonly response: ResponseRule;
  readonly status: number;
  /** 206: part, 304: unchanged. */
  readonly otherStatuses: readonly (206 | 304)[];
  /** Of an empty response: what 202 says of work that waits. */
  readonly waiting: z.ZodType | null;
  /** Failures not derived from the declaration. */
  readonly refusals: readonly OwnRefusal[];
  /** Beside those of every route. */
  readonly requestHeaders: readonly RequestHeader[];
  /** Of successful responses, beside the common ones. */
  readonly headers: readonly OwnHeader[];
  /** Usable before a required two-factor setup. */
  readonly allowedBefore2fa: boolean;
  /** By Origin and headers (middleware/require-own-origin). */
  readonly isOwnOriginOnly: boolean;
  /** Responses may contain secrets: never compressed. */
  readonly carriesSecrets: boolean;
  /** Logs show the declared path. */
  readonly isPathSecret: boolean;
  readonly handler: (request: RouteRequest) => Promise<unknown>;
}

/** What is named by the panel; its handler answers 404 to an unknown one. All other parameters are UUIDs. */
export function isNameParameter(name: string): boolean {
  return name === 'name';
}

/** Takes an `Idempotency-Key`. Resumable uploads do not: a duplicate is empty and expires. */
export function isRepeatable({ status, body }: Pick<Route, 'status' | 'body'>): boolean {
  return status === 201 && body?.kind !== 'stream';
}

type Snake<Name extends string> = Name extends `${infer Head}-${infer Tail}` ? `${Head}_${Snake<Tail>}` : Name;

/** `/servers/{id}/backups/{backup-id}` → `{ id: string; backup_id: string }`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Snake<Name>]: string } & ParamsOf<Rest>
  : unknown;

type QueryOf<Q> = Q extends z.ZodType ? z.output<Q> : Record<string, never>;
type BodyOf<B> = B extends { kind: 'json'; schema: infer S extends z.ZodType }
  ? z.output<S>
  : B extends { kind: 'bytes' }
    ? BytesBody
    : B extends { kind: 'stream' }
      ? StreamBody
      : B extends { kind: 'upload'; schema: infer S extends z.ZodType }
        ? UploadBody<z.output<S>>
        : undefined;
type ResultOf<A> = A extends { kind: 'one'; schema: infer S extends z.ZodType }
  ? z.input<S> | HeadedReply<z.input<S>> | JsonValue | RawReply
  : A extends { kind: 'list'; schema: infer S extends z.ZodType }
    ? ListResult<z.input<S>> | JsonList
    : A extends { kind: 'raw' }
      ? RawReply
      : void | RawReply;

interface RouteSpec<Path extends string, Q, B, A> {
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly access: Access;
  readonly rate: RateClass;
  readonly query?: Q;
  readonly body?: B;
  readonly response: A;
  /** Default 200; 204 for an empty response. */
  readonly status?: number;
  readonly otherStatuses?: Route['otherStatuses'];
  readonly waiting?: z.ZodType;
  readonly refusals?: Route['refusals'];
  readonly requestHeaders?: Route['requestHeaders'];
  readonly headers?: Route['headers'];
  readonly allowedBefore2fa?: boolean;
  readonly isOwnOriginOnly?: boolean;
  readonly carriesSecrets?: boolean;
  readonly isPathSecret?: boolean;
  readonly handler: (request: RouteRequest<ParamsOf<Path>, QueryOf<Q>, BodyOf<B>>) => Promise<ResultOf<A>>;
}

/** Infers all types. */
export function route<
  const Path extends string,
  A extends ResponseRule<never> | ResponseRule,
  Q extends z.ZodObject | undefined = undefined,
  B extends BodyRule<never> | BodyRule | undefined = undefined,
>(spec: RouteSpec<Path, Q, B, A>): Route {
  const { method, path, summary, access, rate, query, body, response, handler } = spec;
  return {
    method,
    path,
    summary,
    access,
    rate,
    query: query ?? null,
    body: body ?? null,
    response,
    status: spec.status ?? (response.kind === 'empty' ? 204 : 200),
    otherStatuses: spec.otherStatuses ?? [],
    waiting: spec.waiting ?? null,
    refusals: spec.refusals ?? [],
    requestHeaders: spec.requestHeaders ?? [],
    headers: [...(spec.status === 201 ? (['Location'] as const) : []), ...(spec.headers ?? [])],
    allowedBefore2fa: spec.allowedBefore2fa ?? false,
    isOwnOriginOnly: spec.isOwnOriginOnly ?? false,
    carriesSecrets: spec.carriesSecrets ?? false,
    isPathSecret: spec.isPathSecret ?? false,
    handler: handler as (request: RouteRequest) => Promise<unknown>,
  };
}
