import { Metadata, type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Call, MultiplexRequest, MultiplexResponse, RequestFrame, ResponseFrame } from '@panel/protos/common';
import { AppError } from '@panel/kit/errors';
import { parseTraceContext } from '@panel/kit/process';
import {
  clientCancelled,
  type CallMetadata,
  Cancellation,
  type Invoke,
  type Method,
  serveCall,
  type ServedCalls,
} from '../call-execution.js';
import { type Failure, failureOf, toGrpcFailure } from '../status.js';
import { frameOverheadBytes, maxMessageBytes, maxServerCalls, maxUnreadBytes } from './limits.js';
import { FrameQueue } from './frame-queue.js';

export interface MultiplexMethod {
  readonly method: Method;
  readonly invoke: Invoke;
}

export type MultiplexMethods = ReadonlyMap<string, MultiplexMethod>;

export interface SessionLimits {
  readonly maxCalls: number;
  readonly maxUnreadBytes: number;
}

type Content = NonNullable<ResponseFrame['content']>;

const defaultLimits: SessionLimits = { maxCalls: maxServerCalls, maxUnreadBytes };
const noDetail = Buffer.alloc(0);

/** Calls are answered as they end. A protocol violation ends the stream only; its calls are aborted. */
export class MultiplexSession {
  readonly #running = new Map<number, Cancellation>();
  readonly #outbox: FrameQueue<ResponseFrame>;
  #lastId = 0;
  /** Includes handlers of gone callers: bounds a client's load. */
  #handlers = 0;
  #isLeaving = false;
  #hasEnded = false;

  constructor(
    private readonly stream: ServerDuplexStream<MultiplexRequest, MultiplexResponse>,
    private readonly methods: MultiplexMethods,
    private readonly calls: ServedCalls,
    private readonly onEnd: () => void,
    private readonly limits = defaultLimits,
  ) {
    this.#outbox = new FrameQueue((frames) => stream.write({ frames }));
    stream.on('data', (message: MultiplexRequest) => this.#receive(message.frames));
    stream.on('drain', () => this.#resume());
    stream.on('end', () => this.#leaveWhenDone());
    stream.on('cancelled', () => this.#over());
    stream.on('close', () => this.#over());
    stream.sendMetadata(new Metadata());
  }

  /** Answers calls in progress, then ends the stream. */
  leave(): void {
    if (this.#isLeaving || this.#hasEnded) return;
    this.#send(this.#lastId, { $case: 'goAway', value: {} }, 0);
    this.#leaveWhenDone();
  }

  #leaveWhenDone(): void {
    this.#isLeaving = true;
    if (this.#running.size > 0 || this.#hasEnded) return;
    this.#outbox.flush();
    if (this.#outbox.bytes > 0) return;
    this.#over();
    this.stream.end();
  }

  #resume(): void {
    this.#outbox.resume();
    if (this.#isLeaving) this.#leaveWhenDone();
  }

  #receive(frames: readonly RequestFrame[]): void {
    for (const { id, content } of frames) {
      if (this.#hasEnded) return;
      if (content?.$case === 'cancel') this.#running.get(id)?.abort(clientCancelled());
      else if (content?.$case !== 'call') this.#refuse('invalid_argument', 'BAD_FRAME', 'a frame without content');
      else if (id <= this.#lastId) this.#refuse('invalid_argument', 'BAD_FRAME', 'calls are numbered upwards');
      else if (!this.#isLeaving) this.#begin(id, content.value);
    }
  }

  #begin(id: number, call: Call): void {
    if (this.#handlers >= this.limits.maxCalls) {
      return this.#refuse('resource_exhausted', 'TOO_MANY_CALLS', 'too many calls at a time on one stream');
    }
    this.#lastId = id;
    const found = this.methods.get(call.method);
    if (found) void this.#serve(id, found, call);
    else this.#fail(id, { status: status.UNIMPLEMENTED, message: `no method ${call.method}`, detail: noDetail });
  }

  async #serve(id: number, { method, invoke }: MultiplexMethod, call: Call): Promise<void> {
    const cancellation = new Cancellation();
    this.#running.set(id, cancellation);
    try {
      const request = method.requestDeserialize(call.payload);
      const counted: MultiplexMethod = { method, invoke: (value, context) => this.#count(invoke(value, context)) };
      this.#answer(id, await serveCall(counted, readCallMetadata(call), request, cancellation, this.calls));
    } catch (error) {
      this.#fail(id, failureOf(error));
    }
    this.#running.delete(id);
    if (this.#isLeaving) this.#leaveWhenDone();
  }

  #count(result: unknown): unknown {
    this.#handlers += 1;
    const done = () => {
      this.#handlers -= 1;
    };
    Promise.resolve(result).then(done, done);
    return result;
  }

  #answer(id: number, payload: Buffer): void {
    if (payload.length + frameOverheadBytes <= maxMessageBytes) {
      return this.#send(id, { $case: 'payload', value: payload }, payload.length);
    }
    const message = `the answer is larger than max (${payload.length} vs. ${maxMessageBytes})`;
    this.#fail(id, { status: status.RESOURCE_EXHAUSTED, message, detail: noDetail });
  }

  #fail(id: number, failure: Failure): void {
    this.#send(id, { $case: 'failure', value: failure }, failure.message.length + failure.detail.length);
  }

  #send(id: number, content: Content, size: number): void {
    if (this.#hasEnded) return;
    this.#outbox.add({ id, content }, size + frameOverheadBytes);
    if (this.#outbox.bytes > this.limits.maxUnreadBytes) {
      this.#refuse('resource_exhausted', 'ANSWERS_UNREAD', 'the answers are not read');
    }
  }

  #refuse(kind: 'invalid_argument' | 'resource_exhausted', reason: string, message: string): void {
    this.calls.log.warn({ peer: this.stream.getPeer(), reason }, 'a multiplexed stream is cut off');
    this.#over();
    this.stream.emit('error', toGrpcFailure(new AppError(kind, reason, message)));
  }

  #over(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#outbox.clear();
    for (const cancellation of this.#running.values()) cancellation.abort(clientCancelled());
    this.onEnd();
  }
}

function readCallMetadata({ actor, requestId, idempotencyId, traceparent, tracestate, timeoutMs }: Call): CallMetadata {
  return {
    actorToken: actor,
    requestId: requestId === '' ? undefined : requestId,
    idempotencyId: idempotencyId === '' ? undefined : idempotencyId,
    trace: traceparent === '' ? undefined : parseTraceContext(traceparent, tracestate),
    deadline: timeoutMs === 0 ? Infinity : Date.now() + timeoutMs,
  };
}
