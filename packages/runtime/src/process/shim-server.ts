import type { Socket } from 'node:net';

/** One JSON object per line, each answered by one line, in order. */
export type ShimRequest =
  | { readonly do: 'input'; readonly data: string }
  | { readonly do: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly do: 'kill' };

/** `error`: null when done, "closed" or "blocked" for input, else "bad_request". */
export interface ShimAnswer {
  readonly error: string | null;
}

export interface ShimActions {
  input(data: string, done: (error: string | null) => void): void;
  signal(signal: NodeJS.Signals): void;
  kill(): void;
}

const maxRequestLength = 2 * 1024 * 1024;
const idleMs = 60_000;

/** Serves one client. An error ends only its own connection. */
export function serveShim(socket: Socket, actions: ShimActions): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (text: string) => {
    const requests = (rest + text).split('\n');
    rest = requests.pop() ?? '';
    if (rest.length > maxRequestLength) socket.destroy();
    for (const request of requests) answer(socket, request, actions);
  });
}

function answer(socket: Socket, text: string, actions: ShimActions): void {
  const reply = (error: string | null) => {
    if (socket.writable) socket.write(`${JSON.stringify({ error } satisfies ShimAnswer)}\n`);
  };
  try {
    const request = JSON.parse(text) as ShimRequest | null;
    if (request?.do === 'input' && typeof request.data === 'string') return actions.input(request.data, reply);
    if (request?.do === 'signal') actions.signal(request.signal);
    else if (request?.do === 'kill') actions.kill();
    else return reply('bad_request');
    reply(null);
  } catch {
    reply('bad_request'); // not JSON, or an unknown signal
  }
}
