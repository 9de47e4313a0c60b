import { EventEmitter } from 'node:events';
import WebSocket from 'ws';
import { ApiError, isRecord } from './api-error.js';
import type { ConsoleMessage, ConsoleRequest } from './generated/api.js';

/** What the panel says, by its `type`. */
export type MessageOf<Type extends ConsoleMessage['type']> = Extract<ConsoleMessage, { type: Type }>;

type MessageType = ConsoleMessage['type'];

/** An open console socket. */
export interface ConsoleSocket {
  /** Every message so far, oldest first. Bounded: at least the last 10 000. */
  readonly messages: readonly ConsoleMessage[];
  /** Hear every message from now on. Returns the way to stop. */
  listen(listener: (message: ConsoleMessage) => void): () => void;
  /** The first message, past ones included when `fromNow` is not set, that satisfies `test`. Throws after `timeoutMs`. */
  waitFor(what: string, test: (message: ConsoleMessage) => boolean, options?: WaitOptions): Promise<ConsoleMessage>;
  /** The first message of a type, of those that satisfy `options.where` if given; otherwise as `waitFor`. */
  next<Type extends MessageType>(
    type: Type,
    options?: WaitOptions & { readonly where?: (message: MessageOf<Type>) => boolean },
  ): Promise<MessageOf<Type>>;
  /** Send a line to the game's console. */
  command(line: string): void;
  /** Ask for a power action. */
  power(action: Extract<ConsoleRequest, { type: 'power' }>['action']): void;
  /** Send any message or text, also such that the panel will not understand. */
  send(message: unknown): void;
  /** Resolves with the close code, once closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
}

export interface WaitOptions {
  /** Default 10 000. */
  readonly timeoutMs?: number;
  /** Do not look at messages that have come already. */
  readonly fromNow?: boolean;
}

const keptMessages = 10_000;

/**
 * Open a console socket. Rejects with ApiError when the panel answers the upgrade with an error. When the panel says that
 * the token is about to end, `renew` is asked for another; without one the panel closes the socket at that time.
 */
export async function openConsole(
  url: string,
  token: string,
  renew: () => Promise<string | undefined> = async () => undefined,
): Promise<ConsoleSocket> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, handshakeTimeout: 10_000 });
  const hub = new EventEmitter().setMaxListeners(0);
  const messages: ConsoleMessage[] = [];
  socket.on('message', (data: Buffer) => {
    const message: unknown = JSON.parse(data.toString('utf8'));
    if (!isRecord(message) || typeof message.type !== 'string') return;
    const known = message as unknown as ConsoleMessage;
    messages.push(known);
    if (messages.length >= 2 * keptMessages) messages.splice(0, keptMessages);
    hub.emit('message', known);
    if (known.type === 'token_expiring') void renewToken(say, renew);
  });
  const say = (message: ConsoleRequest) => socket.send(JSON.stringify(message));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString('utf8') });
      hub.emit('closed', code);
    });
  });
  await opened(socket);
  const open: ConsoleSocket = {
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
    next: async (type, options = {}) => {
      const { where = () => true } = options;
      const isWanted = (message: ConsoleMessage) => message.type === type && where(message as MessageOf<typeof type>);
      return (await open.waitFor(`a message "${type}"`, isWanted, options)) as MessageOf<typeof type>;
    },
    command: (line) => say({ type: 'command', command: line }),
    power: (action) => say({ type: 'power', action }),
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    close: async () => {
      socket.close(1000);
      await closed;
    },
  };
  return open;
}

async function renewToken(
  say: (message: ConsoleRequest) => void,
  renew: () => Promise<string | undefined>,
): Promise<void> {
  try {
    const token = await renew();
    if (token !== undefined) say({ type: 'auth', token });
  } catch (error) {
    // Nothing is lost yet: the socket stays open until the old token ends, and then says why it closes.
    if (!(error instanceof Error)) throw error;
  }
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
