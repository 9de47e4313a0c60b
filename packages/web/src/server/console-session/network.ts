import type { FromSocket, ToSocket } from './socket-port.js';

/** A socket as a console uses it. */
export interface Socket {
  readonly send: (text: string) => void;
  readonly close: (code: number) => void;
}

export interface SocketListeners {
  readonly onOpen: () => void;
  readonly onMessages: (messages: readonly unknown[]) => void;
  readonly onClose: (code: number) => void;
}

/** What of the browser's network a console uses. */
export interface Network {
  readonly isOnline: () => boolean;
  /** Call `listener` whenever the browser is online again. Returns how to stop. */
  readonly onOnline: (listener: () => void) => () => void;
  readonly open: (path: string, protocols: readonly string[], listeners: SocketListeners) => Socket;
}

/** The network of this browser, whose sockets are in a worker: `openPort` opens one there. */
export function browserNetwork(openPort: (path: string, protocols: readonly string[]) => MessagePort): Network {
  return {
    isOnline: () => navigator.onLine,
    onOnline: (listener) => {
      addEventListener('online', listener);
      return () => removeEventListener('online', listener);
    },
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
