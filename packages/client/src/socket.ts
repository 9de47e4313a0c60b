/** What the console needs of a WebSocket; the one of browsers and Node has it, and `ws` too. */
export interface ClientSocket {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  send(text: string): void;
  close(code: number): void;
}

export interface SocketRequest {
  /** ws: or wss: address of the console. */
  readonly url: string;
  readonly token: string;
  /** Throws the ApiError with which the panel refuses the server, if it does: a platform socket does not show it. */
  readonly explainRefusal: () => Promise<unknown>;
}

/** A socket whose listeners can be added before its first message. */
export interface PendingSocket {
  readonly socket: ClientSocket;
  /** Rejects with ApiError when the panel refuses the upgrade. */
  readonly opened: Promise<void>;
}

export type OpenSocket = (request: SocketRequest) => PendingSocket;

interface SocketConstructor {
  new (url: string, protocols: readonly string[]): ClientSocket;
}

/**
 * Open the WebSocket of the platform (browsers, Node 22 and later). It cannot send headers: the token is offered as the
 * second sub-protocol, which the panel does not echo.
 */
export const openPlatformSocket: OpenSocket = ({ url, token, explainRefusal }) => {
  const { WebSocket } = globalThis as unknown as { readonly WebSocket?: SocketConstructor };
  if (!WebSocket) throw new TypeError('this platform has no WebSocket: import @panel/client in Node, or use Node 22');
  const socket = new WebSocket(url, ['bearer', token]);
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => {
      const unexplained = () => reject(new Error(`the console could not be opened at ${url}`));
      explainRefusal().then(unexplained, reject);
    });
  });
  return { socket, opened };
};
