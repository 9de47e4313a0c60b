/** A socket as a console uses it. */
export interface Socket {
  readonly send: (text: string) => void;
  readonly close: (code: number) => void;
}

export interface SocketListeners {
  readonly onOpen: () => void;
  readonly onMessage: (data: unknown) => void;
  readonly onClose: (code: number) => void;
}

/** What of the browser's network a console uses. */
export interface Network {
  readonly isOnline: () => boolean;
  /** Call `listener` whenever the browser is online again. Returns how to stop. */
  readonly onOnline: (listener: () => void) => () => void;
  readonly open: (path: string, protocols: readonly string[], listeners: SocketListeners) => Socket;
}

export const browserNetwork: Network = {
  isOnline: () => navigator.onLine,
  onOnline: (listener) => {
    addEventListener('online', listener);
    return () => removeEventListener('online', listener);
  },
  open: (path, protocols, { onOpen, onMessage, onClose }) => {
    const socket = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')), [...protocols]);
    socket.addEventListener('open', onOpen);
    socket.addEventListener('message', ({ data }) => onMessage(data));
    socket.addEventListener('close', ({ code }) => onClose(code));
    return { send: (text) => socket.send(text), close: (code) => socket.close(code) };
  },
};
