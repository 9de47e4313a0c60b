import { EventEmitter } from 'node:events';
import WebSocket from 'ws';
import { ApiError, isRecord } from './api-error.js';

/** A message of the console socket; `type` says which, see the API reference. */
export interface ConsoleMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An open console socket. */
export interface ConsoleSocket {
  /** Every message so far, oldest first. Bounded to the last 10 000. */
  readonly messages: readonly ConsoleMessage[];
  /** Hear every message from now on. Returns the way to stop. */
  listen(listener: (message: ConsoleMessage) => void): () => void;
  /** The first message, past ones included when `fromNow` is not set, that satisfies `test`. Throws after `timeoutMs`. */
  waitFor(
    what: string,
    test: (message: ConsoleMessage) => boolean,
    options?: { timeoutMs?: number; fromNow?: boolean },
  ): Promise<ConsoleMessage>;
  /** Send a line to the game's console. */
  command(line: string): void;
  /** Ask for a power action. */
  power(action: 'start' | 'stop' | 'restart' | 'kill'): void;
  /** Send any message, for those the methods above do not cover. */
  send(message: unknown): void;
  /** Resolves with the close code, once closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
}

const keptMessages = 10_000;

/** Open a console socket. Rejects with ApiError when the panel answers the upgrade with an error. */
export async function openConsole(url: string, token: string): Promise<ConsoleSocket> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, handshakeTimeout: 10_000 });
  const hub = new EventEmitter().setMaxListeners(0);
  const messages: ConsoleMessage[] = [];
  socket.on('message', (data: Buffer) => {
    const message: unknown = JSON.parse(data.toString('utf8'));
    if (!isRecord(message) || typeof message.type !== 'string') return;
    const known = message as ConsoleMessage;
    messages.push(known);
    if (messages.length > keptMessages) messages.shift();
    hub.emit('message', known);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString('utf8') });
      hub.emit('closed', code);
    });
  });
  await opened(socket);
  return {
    messages,
    closed,
    listen: (listener) => {
      hub.on('message', listener);
      return () => hub.off('message', listener);
    },
    waitFor: async (what, test, options = {}) => {
      const past = options.fromNow === true ? undefined : messages.find(test);
      return past ?? nextMatching(hub, what, test, options.timeoutMs ?? 10_000);
    },
    command: (line) => socket.send(JSON.stringify({ type: 'command', command: line })),
    power: (action) => socket.send(JSON.stringify({ type: 'power', action })),
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    close: async () => {
      socket.close(1000);
      await closed;
    },
  };
}

async function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const headers = new Headers();
        for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
        const answer = new Response(null, { status: response.statusCode ?? 500, headers });
        reject(ApiError.from(answer, parseJson(Buffer.concat(chunks).toString('utf8'))));
        socket.terminate();
      });
    });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function nextMatching(
  hub: EventEmitter,
  what: string,
  test: (message: ConsoleMessage) => boolean,
  timeoutMs: number,
): Promise<ConsoleMessage> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      hub.off('message', look);
      hub.off('closed', gone);
    };
    const look = (message: ConsoleMessage) => {
      if (!test(message)) return;
      leave();
      resolve(message);
    };
    const gone = (code: number) => {
      leave();
      reject(new Error(`the socket closed (${code}) while waiting for ${what}`));
    };
    const timer = setTimeout(() => {
      leave();
      reject(new Error(`waited ${timeoutMs} ms in vain for ${what}`));
    }, timeoutMs);
    hub.on('message', look);
    hub.on('closed', gone);
  });
}
