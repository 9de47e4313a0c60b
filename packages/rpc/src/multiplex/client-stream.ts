import { type ClientDuplexStream, type Client as GrpcClient, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  type MultiplexRequest,
  type MultiplexResponse,
  MultiplexServiceService,
  type RequestFrame,
  type ResponseFrame,
} from '@panel/protos/common';
import { AppError } from '@panel/kit/errors';
import { metadataKeys } from '../context.js';
import { coarsenTimeout } from '../call-execution.js';
import { errorOf, fromGrpcFailure, markUnsent } from '../status.js';
import { frameOverheadBytes, maxCallId, maxClientCalls } from './limits.js';
import { FrameQueue } from './frame-queue.js';

/** An outgoing call. `deadline` in Unix milliseconds. */
export interface OutgoingCall {
  readonly method: string;
  readonly payload: Buffer;
  readonly deadline: number;
  readonly actor: string;
  readonly requestId: string;
  readonly idempotencyId: string;
  readonly traceparent: string;
  readonly tracestate: string;
}

interface StreamEvents {
  /** Connected to `peer`; calls arrive. */
  onOpen(peer: string): void;
  /** Accepts no more calls. */
  onLeaving(): void;
}

/** grpc-js's internal errors for an ended connection. */
const connectionEnded =
  /^(Failed to start HTTP\/2 stream|Received RST_STREAM with code 2 triggered by internal client error)/;

/** A timed-out call on a stream this silent marks the peer as gone. */
const silentMs = 1_000;

interface Pending {
  readonly frame: RequestFrame;
  readonly deadline: number;
  readonly resolve: (payload: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly release: () => void;
}

/** Writes nothing before the server's confirmation: a failed stream has sent no call. */
export class MultiplexStream {
  readonly #calls = new Map<number, Pending>();
  readonly #stream: ClientDuplexStream<MultiplexRequest, MultiplexResponse>;
  readonly #outbox: FrameQueue<RequestFrame>;
  #lastId = 0;
  #isLeaving = false;
  #hasEnded = false;
  /** The server is silent: new calls use another stream. */
  #isSilent = false;
  #heardAt = performance.now();

  constructor(
    grpc: GrpcClient,
    token: string,
    private readonly events: StreamEvents,
    private readonly maxCalls = maxClientCalls,
  ) {
    const metadata = new Metadata();
    metadata.set(metadataKeys.actor, token);
    const { path, requestSerialize, responseDeserialize } = MultiplexServiceService.multiplex;
    this.#stream = grpc.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
    this.#outbox = new FrameQueue((frames) => this.#stream.write({ frames }), true);
    this.#stream.on('metadata', () => this.#open());
    this.#stream.on('data', ({ frames }: MultiplexResponse) => this.#receive(frames));
    this.#stream.on('drain', () => this.#outbox.resume());
    this.#stream.on('error', (error: ServiceError) => this.#end(error));
    this.#stream.on('end', () => this.#end({ code: status.UNAVAILABLE, details: 'the stream has ended' }));
  }

  get load(): number {
    return this.#calls.size;
  }

  /** Rejects with AppErrors as a native call does. */
  async call(outgoing: OutgoingCall, signal: AbortSignal | undefined): Promise<Buffer> {
    if (this.#calls.size >= this.maxCalls) {
      throw new AppError('unavailable', 'TOO_MANY_CALLS', 'too many calls to one service are in progress');
    }
    const id = ++this.#lastId;
    if (id >= maxCallId) this.leave();
    const { deadline, ...call } = outgoing;
    const timeoutMs = Math.max(1, Math.round(deadline - Date.now()));
    const frame: RequestFrame = { id, content: { $case: 'call', value: { ...call, timeoutMs } } };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#abandon(id, tooSlow(call.method)), coarsenTimeout(timeoutMs));
      const onAbort = signal && (() => this.#abandon(id, cancelled()));
      const release = () => {
        clearTimeout(timer);
        if (onAbort) signal.removeEventListener('abort', onAbort);
      };
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
      this.#calls.set(id, { frame, deadline, resolve, reject, release });
      this.#outbox.add(frame, call.payload.length + frameOverheadBytes);
    });
  }

  /** The stream ends after the calls in progress. */
  leave(): void {
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      this.events.onLeaving();
    }
    if (this.#calls.size > 0 || this.#hasEnded) return;
    this.#hasEnded = true;
    // Half-closed, not cancelled: a cancel frame may be pending.
    if (this.#isSilent) this.#stream.cancel();
    else this.#stream.end();
  }

  #open(): void {
    this.#heardAt = performance.now();
    for (const { frame, deadline } of this.#calls.values()) {
      const { content } = frame;
      if (content?.$case === 'call') content.value.timeoutMs = Math.max(1, Math.round(deadline - Date.now()));
    }
    // Left meanwhile: its calls may still be answered.
    if (!this.#isLeaving) this.events.onOpen(this.#stream.getPeer());
    this.#outbox.resume();
  }

  #receive(frames: readonly ResponseFrame[]): void {
    this.#heardAt = performance.now();
    for (const { id, content } of frames) {
      if (content === undefined || id > this.#lastId) return this.#break('an answer nobody asked for');
      if (content.$case === 'payload') this.#take(id)?.resolve(content.value);
      else if (content.$case === 'failure') this.#take(id)?.reject(errorOf(content.value));
      else this.#goAway(id);
    }
    if (this.#isLeaving) this.leave();
  }

  #goAway(lastBegun: number): void {
    for (const id of this.#calls.keys())
      if (id > lastBegun) this.#take(id)?.reject(markUnsent(unavailable('stopping')));
    this.leave();
  }

  #abandon(id: number, error: AppError): void {
    const call = this.#take(id);
    if (!call) return;
    if (!this.#outbox.drop(call.frame)) this.#outbox.add({ id, content: { $case: 'cancel', value: {} } }, 16);
    call.reject(error);
    const isUnheard = performance.now() - this.#heardAt >= silentMs;
    if (error.kind === 'deadline_exceeded' && isUnheard) this.#isSilent = true;
    if (this.#isLeaving || this.#isSilent) this.leave();
  }

  #take(id: number): Pending | undefined {
    const call = this.#calls.get(id);
    if (!call) return undefined;
    this.#calls.delete(id);
    call.release();
    return call;
  }

  #break(why: string): void {
    this.#end({ code: status.INTERNAL, details: why });
    this.#stream.cancel();
  }

  #end(end: Pick<ServiceError, 'code' | 'details'> & Partial<ServiceError>): void {
    // This client never cancels a stream with calls; a cut-off server does.
    const isGone = end.code === status.CANCELLED || connectionEnded.test(end.details);
    const failure = isGone ? { ...end, code: status.UNAVAILABLE } : end;
    this.#hasEnded = true;
    this.leave();
    for (const id of this.#calls.keys()) {
      const call = this.#take(id);
      if (!call) continue;
      const isUnsent = this.#outbox.has(call.frame);
      const error = fromGrpcFailure(failure);
      call.reject(isUnsent && error.kind === 'unavailable' ? markUnsent(error) : error);
    }
    this.#outbox.clear();
  }
}

function tooSlow(method: string): AppError {
  return new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', `${method} was not answered in time`);
}

function cancelled(): AppError {
  return new AppError('cancelled', 'CANCELLED', 'the call was given up');
}

function unavailable(what: string): AppError {
  return new AppError('unavailable', 'SERVICE_UNAVAILABLE', `the service is ${what}`);
}
