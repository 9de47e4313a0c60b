import { ApiError } from '../../api/errors.js';
import type { FromSocket, ToSocket } from './socket-port.js';

export interface Socket {
  readonly send: (text: string) => void;
  readonly close: (code: number) => void;
}

export interface SocketListeners {
  readonly onOpen: () => void;
  readonly onMessages: (messages: readonly unknown[]) => void;
  readonly onClose: (code: number) => void;
}

export interface Network {
  readonly isOnline: () => boolean;
  readonly onOnline: (listener: () => void) => () => void;
  readonly open: (path: string, protocols: readonly string[], listeners: SocketListeners) => Socket;
  /** Why a socket is refused there; null without a refusal or an answer. */
  readonly refusalOf: (path: string, token: string) => Promise<ApiError | null>;
}

/** This browser's network, with sockets in a worker: `openPort` opens one there. */
export function browserNetwork(openPort: (path: string, protocols: readonly string[]) => MessagePort): Network {
  return {
    isOnline: () => navigator.onLine,
    onOnline: (listener) => {
      addEventListener('online', listener);
      return () => removeEventListener('online', listener);
    },
    refusalOf,
    open: (path, protocols, listeners) => {
      const port = openPort(path, protocols);
      const tell = (message: ToSocket): void => port.postMessage(message);
      port.addEventListener('message', ({ data }: MessageEvent<FromSocket>) => {
        if (data.type === 'open') listeners.onOpen();
        else if (data.type === 'close') listeners.onClose(data.code);
        else {
          tell({ type: 'taken' });
          listeners.onMessages(JSON.parse(data.json) as readonly unknown[]);
        }
      });
      port.start();
      return { send: (text) => tell({ type: 'send', text }), close: (code) => tell({ type: 'close', code }) };
    },
  };
}

/** The address answers a plain request as it would an upgrade, and one that it would take with 400. */
async function refusalOf(path: string, token: string): Promise<ApiError | null> {
  try {
    const response = await fetch(path, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } });
    const isRefused = response.status > 400 && response.status < 500;
    return isRefused ? ApiError.from(response, await response.json()) : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
