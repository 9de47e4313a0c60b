import type { TraceContext } from '@panel/kit/process';
import type { CallContext } from './context.js';

export interface MethodDefinition<Req, Res> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: Req) => Buffer;
  readonly requestDeserialize: (value: Buffer) => Req;
  readonly responseSerialize: (value: Res) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Res;
}

// `never`/`unknown` keep the common shape sound in both directions.
export type ServiceDefinition = Readonly<
  Record<
    string,
    {
      readonly path: string;
      readonly requestStream: boolean;
      readonly responseStream: boolean;
      readonly requestSerialize: (value: never) => Buffer;
      readonly requestDeserialize: (value: Buffer) => unknown;
      readonly responseSerialize: (value: never) => Buffer;
      readonly responseDeserialize: (value: Buffer) => unknown;
    }
  >
>;

type RequestOf<M> = M extends { requestDeserialize: (value: Buffer) => infer Req } ? Req : never;
type ResponseOf<M> = M extends { responseDeserialize: (value: Buffer) => infer Res } ? Res : never;

type Input<M> = M extends { requestStream: true } ? AsyncIterable<RequestOf<M>> : RequestOf<M>;

/** A promise, or an async iterable for a stream. */
export type Handler<M> = M extends { responseStream: true }
  ? (request: Input<M>, context: CallContext) => AsyncIterable<ResponseOf<M>>
  : (request: Input<M>, context: CallContext) => Promise<ResponseOf<M>>;

export type Handlers<S extends ServiceDefinition> = { readonly [M in keyof S]: Handler<S[M]> };

export interface CallOptions {
  /** Milliseconds, at most the rest of `parent`. Default 10 s; none for streams. */
  readonly timeoutMs?: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Passes on its actor, request id and deadline. */
  readonly parent?: CallContext;
  /** Default the parent's, else the client's own. */
  readonly actorToken?: string;
  readonly requestId?: string;
  /** Default the parent's. */
  readonly trace?: TraceContext | undefined;
  /** UUID v4, equal for repetitions; see CallContext. Not passed on to sub-calls. */
  readonly idempotencyId?: string;
}

type ClientMethod<M> = M extends { responseStream: true }
  ? (request: Input<M>, options?: CallOptions) => AsyncIterable<ResponseOf<M>>
  : (request: Input<M>, options?: CallOptions) => Promise<ResponseOf<M>>;

export type Client<S extends ServiceDefinition> = { readonly [M in keyof S]: ClientMethod<S[M]> };

/** A gRPC call each, or one long-lived stream per replica. */
export type TransportName = 'native' | 'multiplexed';
