import type { FromSocket, SocketRequest, ToSocket } from './socket-port.js';

/* Batches messages, because 10,000 lines a second would cost the page as many events. */

/** Batch interval: faster changes are unreadable, and each is a layout. */
const pauseMs = 32;
/** Limit for a slow page, a console's capacity. */
const maxWaiting = 100_000;

const scope = globalThis as unknown as Pick<Worker, 'addEventListener'>;

scope.addEventListener('message', ({ data, ports: [port] }: MessageEvent<SocketRequest>) => {
  if (port) open(data, port);
});

function open({ address, protocols }: SocketRequest, port: MessagePort): void {
  const socket = new WebSocket(address, [...protocols]);
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushedAt = -Infinity;
  /** The page still processes the last messages. */
  let isBusy = false;
  const tell = (message: FromSocket): void => port.postMessage(message);
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    isBusy = true;
    flushedAt = performance.now();
    tell({ type: 'messages', json: `[${waiting.join(',')}]` });
    waiting = [];
  };
  const flushSoon = (): void => {
    if (!isBusy && waiting.length > 0)
      timer ??= setTimeout(flush, Math.max(0, flushedAt + pauseMs - performance.now()));
  };
  socket.addEventListener('open', () => tell({ type: 'open' }));
  socket.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string') return;
    waiting.push(data);
    if (waiting.length > 2 * maxWaiting) waiting = withoutOldest(waiting);
    flushSoon();
  });
  socket.addEventListener('close', ({ code }) => {
    flush();
    tell({ type: 'close', code });
    port.close();
  });
  port.addEventListener('message', ({ data }: MessageEvent<ToSocket>) => {
    if (data.type === 'taken') {
      isBusy = false;
      flushSoon();
    } else if (data.type === 'send') socket.send(data.text);
    else socket.close(data.code);
  });
  port.start();
}

/** Drops the oldest lines; other messages stay. */
function withoutOldest(messages: readonly string[]): string[] {
  const isLine = (message: string): boolean => message.startsWith('{"type":"console_output"');
  return messages.filter((message, index) => index >= messages.length - maxWaiting || !isLine(message));
}
