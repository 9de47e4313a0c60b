import type { TraceContext } from '@panel/kit/process';
import type { CallContext } from './context.js';

/** One method of a generated service definition, as far as we need it. */
export interface MethodDefinition<Req, Res> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: Req) => Buffer;
  readonly requestDeserialize: (value: Buffer) => Req;
  readonly responseSerialize: (value: Res) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Res;
}

// The generated definitions are typed per message; here only their common shape counts, and `never`/`unknown` keep
// both directions sound.
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

/** What a service implements for one method: a promise for one answer, an async iterable for a stream of them. */
export type Handler<M> = M extends { responseStream: true }
  ? (request: Input<M>, context: CallContext) => AsyncIterable<ResponseOf<M>>
  : (request: Input<M>, context: CallContext) => Promise<ResponseOf<M>>;

/** A handler for every method of a service. */
export type Handlers<S extends ServiceDefinition> = { readonly [M in keyof S]: Handler<S[M]> };

/** Per-call choices of a client. */
export interface CallOptions {
  /**
   * Time the call may take, in milliseconds; bounded by the remaining time of `parent`. Default 10 s; streams have
   * none.
   */
  readonly timeoutMs?: number;
  /** Aborting it cancels the call. */
  readonly signal?: AbortSignal;
  /** The call being served: its actor, request id and deadline are passed on. */
  readonly parent?: CallContext;
  /** Signed actor to send; default the parent's, else the client's own. */
  readonly actorToken?: string;
  readonly requestId?: string;
  /** Default the parent's. */
  readonly trace?: TraceContext | undefined;
  /** A UUID v4, the same for every repetition of this call; see CallContext. Not passed on to the calls a handler makes. */
  readonly idempotencyId?: string;
}

type ClientMethod<M> = M extends { responseStream: true }
  ? (request: Input<M>, options?: CallOptions) => AsyncIterable<ResponseOf<M>>
  : (request: Input<M>, options?: CallOptions) => Promise<ResponseOf<M>>;

/** A client of a service: one function per method. */
export type Client<S extends ServiceDefinition> = { readonly [M in keyof S]: ClientMethod<S[M]> };

/** How calls with one answer travel: each as a gRPC call of its own, or all over one long-lived stream per replica. */
export type TransportName = 'native' | 'multiplexed';
