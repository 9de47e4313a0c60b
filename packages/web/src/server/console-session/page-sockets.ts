// oxlint-disable-next-line import/default -- the build gives the address
import workerAddress from './socket-worker.ts?worker&url';
import { openSocketPort, startSocketWorker, type ToSocket } from './socket-port.js';

let worker: Worker | undefined;
/** The boot script's socket, until the first console takes it. */
let early: { readonly path: string; readonly token: string; readonly port: MessagePort } | null = null;

/** Takes the early socket or opens one in the page's worker. */
export function takeSocketPort(path: string, protocols: readonly string[]): MessagePort {
  const taken = early;
  early = null;
  if (taken?.path === path && taken.token === protocols[1]) return taken.port;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port reaches its other end only
  taken?.port.postMessage({ type: 'close', code: 1000 } satisfies ToSocket);
  return openSocketPort(socketWorker(), path, protocols);
}

export function openEarly(serverId: string, tokens: Promise<{ readonly token: string } | null>): void {
  socketWorker();
  void tokens.then(
    (given) => {
      if (!given) return;
      const { token } = given;
      const path = `/api/v1/servers/${serverId}/ws`;
      early = { path, token, port: openSocketPort(socketWorker(), path, ['bearer', token]) };
    },
    () => undefined,
  );
}

function socketWorker(): Worker {
  return (worker ??= startSocketWorker(workerAddress));
}
