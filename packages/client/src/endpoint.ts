import type { Endpoints } from './generated/api.js';

/** The content type of bytes of which nothing is known. */
export const anyBytes = 'application/octet-stream';

/** "METHOD /path" of every endpoint. */
export type Endpoint = keyof Endpoints;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type With<Property extends string, E extends Endpoint = Endpoint> = E extends Endpoint
  ? Endpoints[E] extends { [K in Property]: unknown }
    ? E
    : never
  : never;

/** Endpoints that answer the envelope, or nothing. */
export type EnvelopeEndpoint = With<'one'> | With<'list'> | With<'empty'>;

type PathIn<E, M extends Method> = E extends `${M} ${infer Path}` ? Path : never;

/** Paths for `get`, `post`, `put` and `delete`. */
export type PathOf<M extends Method> = PathIn<EnvelopeEndpoint, M>;

/** Paths of lists, for `pages`. */
export type ListPath = PathIn<With<'list'>, 'GET'>;

/** Paths that answer bytes, for `download`. */
export type BytesPath = PathIn<With<'raw'>, 'GET'>;

type Snake<Name extends string> = Name extends `${infer Head}-${infer Tail}` ? `${Head}_${Snake<Tail>}` : Name;

/** `/servers/{id}/backups/{backup-id}` → `'id' | 'backup_id'`. */
type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Snake<Name> | ParamName<Rest>
  : never;

type ParamsPart<E extends Endpoint> = [ParamName<E>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: { readonly [Name in ParamName<E>]: string } };

type Own<E extends Endpoint, Property extends string> = Pick<Endpoints[E], Property & keyof Endpoints[E]>;

type QueryPart<E extends Endpoint> = 'query' extends keyof Endpoints[E]
  ? Own<E, 'query'>
  : { readonly query?: undefined };

type JsonPart<E extends Endpoint> = ('body' extends keyof Endpoints[E]
  ? Own<E, 'body'>
  : { readonly body?: undefined }) & { readonly bytes?: undefined; readonly type?: undefined };

/** A body that is sent as it is. One that comes piece by piece can be sent once only. */
export type Bytes = string | Uint8Array | AsyncIterable<Uint8Array>;

type BytesPart<Type extends string> = { readonly body?: undefined; readonly bytes: Bytes } & ([Type] extends [
  typeof anyBytes,
]
  ? { readonly type?: Type }
  : { readonly type: Type });

type BodyPart<E extends Endpoint> = Endpoints[E] extends { bytes: infer Type extends string }
  ? Endpoints[E] extends { body: unknown }
    ? JsonPart<E> | BytesPart<Type>
    : BytesPart<Type>
  : JsonPart<E>;

type KeyPart<E extends Endpoint> = Endpoints[E] extends { creates: true }
  ? {
      /** The same request with the same key gets the first answer again, for 24 hours. */
      readonly idempotencyKey?: string;
    }
  : { readonly idempotencyKey?: undefined };

/** What every request may say. */
export interface CommonOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Bound in milliseconds instead of the client's. */
  readonly timeoutMs?: number;
}

/** What an endpoint takes: `params` of its path, `query`, `body` (or `bytes` of a `type`), `idempotencyKey`. */
export type OptionsOf<E extends Endpoint> = CommonOptions & ParamsPart<E> & QueryPart<E> & BodyPart<E> & KeyPart<E>;

/** Options as an argument that may be left out where nothing is needed. */
export type OptionsArgument<E extends Endpoint> =
  CommonOptions extends OptionsOf<E> ? [options?: OptionsOf<E>] : [options: OptionsOf<E>];

export interface PageMeta {
  readonly current_page: number;
  readonly per_page: number;
  readonly total: number;
  readonly total_pages: number;
}

/** An answer with its envelope taken off. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
}

/** One page of a list. */
export interface ListAnswer<T, Notes = unknown> extends Answer<T[]> {
  readonly meta: PageMeta & Notes;
}

/** The endpoint of a method and a path. */
export type EndpointAt<M extends Method, Path extends string> = Extract<Endpoint, `${M} ${Path}`>;

/** What an item of a list is. */
export type ItemOf<E extends Endpoint> = Endpoints[E] extends { list: infer Item } ? Item : never;

/** What an endpoint answers; `never` where it is reserved and only refuses. */
export type AnswerOf<E extends Endpoint> = Endpoints[E] extends { list: infer Item }
  ? ListAnswer<Item, Endpoints[E] extends { notes: infer Notes } ? Notes : unknown>
  : Endpoints[E] extends { one: infer Data }
    ? Answer<Data>
    : Endpoints[E] extends { empty: true }
      ? Answer<undefined>
      : never;
