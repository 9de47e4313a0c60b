import type { Writable } from 'node:stream';
import { isAppError } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { ServerChannel } from 'ssh2';
import { closeHandle, answerRequest, type OperationScope } from './operations.js';
import { encodeStatus, encodeVersion } from './packet-writer.js';
import { readPackets } from './packet-stream.js';
import { extensions, parseRequest, type SftpRequest } from './parse-request.js';
import { malformedError, requestTypes, statusCodes } from './protocol.js';
import { statusOf } from './status.js';

/**
 * Concurrent reads and writes per session; other requests run in sequence. 32 takes a third more CPU without more
 * speed.
 */
const maxConcurrent = 8;
/** For a channel that does not drain. */
const drainCheckMs = 250;

interface SftpSessionOptions {
  readonly stream: ServerChannel;
  readonly scope: OperationScope;
  readonly drained: () => Promise<void>;
  readonly cork: () => void;
  /** For each packet. */
  readonly received: () => void;
  readonly log: Logger;
}

/** Pauses a client that does not read responses; cuts off one that violates SFTP. */
export class SftpSession {
  readonly #options: SftpSessionOptions;
  readonly #inFlight = new Set<Promise<void>>();
  /** In request order: a client that crashes has written without gaps. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: SftpSessionOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { received, scope, stream } = this.#options;
    try {
      const packets = readPackets(stream, scope.signal);
      const first = await packets.next();
      if (first.done) return;
      received();
      await this.#start(first.value);
      for await (const packet of packets) {
        scope.signal.throwIfAborted();
        received();
        await this.#accept(parseRequest(packet));
      }
    } catch (error) {
      if (!isAppError(error, 'SFTP_MALFORMED') && !scope.signal.aborted && !isStreamEnd(error)) throw error;
    } finally {
      await Promise.all(this.#inFlight);
      await this.#closeAll();
      // scp fails without an exit status
      if (stream.writable) stream.exit(0);
      stream.end();
    }
  }

  async #start(packet: Buffer): Promise<void> {
    if (packet[0] !== requestTypes.init || packet.length < 5) throw malformedError();
    await this.#send(encodeVersion(extensions));
  }

  async #accept(request: SftpRequest): Promise<void> {
    await this.#options.drained();
    const isData = request.kind === 'read' || request.kind === 'write';
    if (isData) while (this.#inFlight.size >= maxConcurrent) await Promise.race(this.#inFlight);
    else await Promise.all(this.#inFlight);
    const work = this.#answer(request, this.#last).finally(() => this.#inFlight.delete(work));
    this.#last = work;
    this.#inFlight.add(work);
    if (!isData) await work;
  }

  /** Never rejects. */
  async #answer(request: SftpRequest, before: Promise<void>): Promise<void> {
    const answer = await this.#answerOf(request);
    await before;
    await this.#send(answer);
  }

  /** Resolves when the channel drains: responses beyond the client's window would accumulate here. */
  async #send(answer: Buffer): Promise<void> {
    const { cork, scope, stream } = this.#options;
    if (stream.destroyed || stream.writableEnded) return;
    cork();
    stream.write(answer);
    // a channel closed by its client does not drain
    while (stream.writableNeedDrain && !scope.signal.aborted) await drainOrTimeout(stream);
  }

  async #answerOf(request: SftpRequest): Promise<Buffer> {
    const { log, scope } = this.#options;
    try {
      return await answerRequest(scope, request);
    } catch (error) {
      const status = statusOf(error);
      if (!status && !scope.signal.aborted) log.error({ err: error, request: request.kind }, 'an SFTP request failed');
      const { code, message } = status ?? { code: statusCodes.failure, message: 'internal error' };
      return encodeStatus(request.id, code, message);
    }
  }

  async #closeAll(): Promise<void> {
    const { log, scope } = this.#options;
    for (const handle of scope.handles.takeAll()) {
      try {
        await closeHandle(scope, handle);
      } catch (error) {
        log.warn({ err: error }, 'a file of an SFTP session could not be closed');
      }
    }
  }
}

async function drainOrTimeout(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stream.off('drain', done);
      resolve();
    };
    const timer = setTimeout(done, drainCheckMs);
    stream.on('drain', done);
  });
}

function isStreamEnd(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_STREAM');
}
