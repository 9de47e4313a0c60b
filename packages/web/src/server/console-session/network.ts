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
}

/** This browser's network, with sockets in a worker: `openPort` opens one there. */
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
