import { isRecord } from './api-error.js';
import type { ConsoleMessage, ConsoleRequest } from './generated/api.js';
import type { PendingSocket } from './socket.js';

/** A message of the panel, by its `type`. */
export type MessageOf<Type extends ConsoleMessage['type']> = Extract<ConsoleMessage, { type: Type }>;

type MessageType = ConsoleMessage['type'];

/** An open console socket. */
export interface ConsoleSocket {
  /** Every message so far, oldest first. Bounded: at least the last 10 000. */
  readonly messages: readonly ConsoleMessage[];
  /** Call `listener` for every message from now on. Returns a function that removes it. */
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
  /** Send any message or text, also an invalid one. */
  send(message: unknown): void;
  /** Resolves with the close code, once closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
}

export interface WaitOptions {
  /** Default 10 000. */
  readonly timeoutMs?: number;
  /** Ignore messages received before. */
  readonly fromNow?: boolean;
}

const retainedMessages = 10_000;

/**
 * A console over a socket that is being opened. Rejects as `pending.opened` does. When the panel announces that the token
 * expires, `renewToken` is called for a new one; without one the panel closes the socket at that time.
 */
export async function openConsole(
  pending: PendingSocket,
  renewToken: () => Promise<string | undefined> = async () => undefined,
): Promise<ConsoleSocket> {
  const { socket } = pending;
  const messages: ConsoleMessage[] = [];
  const listeners = new Set<(message: ConsoleMessage) => void>();
  const send = (message: ConsoleRequest) => socket.send(JSON.stringify(message));
  socket.addEventListener('message', ({ data }) => {
    const message = parseMessage(data);
    if (!message) return;
    messages.push(message);
    if (messages.length >= 2 * retainedMessages) messages.splice(0, retainedMessages);
    for (const listener of listeners) listener(message);
    if (message.type === 'token_expiring') void sendNewToken(send, renewToken);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  await pending.opened;
  const listen: ConsoleSocket['listen'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const waitFor: ConsoleSocket['waitFor'] = async (what, test, options = {}) => {
    const past = options.fromNow === true ? undefined : messages.find(test);
    return past ?? nextMatching({ listen, closed }, what, test, options.timeoutMs ?? 10_000);
  };
  return {
    messages,
    closed,
    listen,
    waitFor,
    next: async (type, options = {}) => {
      const { where = () => true } = options;
      const isWanted = (message: ConsoleMessage) => message.type === type && where(message as MessageOf<typeof type>);
      return (await waitFor(`a message "${type}"`, isWanted, options)) as MessageOf<typeof type>;
    },
    command: (line) => send({ type: 'command', command: line }),
    power: (action) => send({ type: 'power', action }),
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    close: async () => {
      socket.close(1000);
      await closed;
    },
  };
}

function parseMessage(data: unknown): ConsoleMessage | null {
  const message: unknown = JSON.parse(String(data));
  return isRecord(message) && typeof message.type === 'string' ? (message as unknown as ConsoleMessage) : null;
}

async function sendNewToken(
  send: (message: ConsoleRequest) => void,
  renewToken: () => Promise<string | undefined>,
): Promise<void> {
  try {
    const token = await renewToken();
    if (token !== undefined) send({ type: 'auth', token });
  } catch (error) {
    // The socket stays open until the old token expires; then the panel closes it with a reason.
    if (!(error instanceof Error)) throw error;
  }
}

async function nextMatching(
  { listen, closed }: Pick<ConsoleSocket, 'listen' | 'closed'>,
  what: string,
  test: (message: ConsoleMessage) => boolean,
  timeoutMs: number,
): Promise<ConsoleMessage> {
  return new Promise((resolve, reject) => {
    const stop = listen((message) => {
      if (!test(message)) return;
      clearTimeout(timer);
      stop();
      resolve(message);
    });
    const fail = (text: string) => {
      clearTimeout(timer);
      stop();
      reject(new Error(text));
    };
    const timer = setTimeout(() => fail(`waited ${timeoutMs} ms in vain for ${what}`), timeoutMs);
    void closed.then(({ code }) => fail(`the socket closed (${code}) while waiting for ${what}`));
  });
}
