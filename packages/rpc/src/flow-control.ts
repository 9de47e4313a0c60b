import type { Http2Server } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * Widens the HTTP/2 window for request bodies. grpc-js (1.14) has this option for clients only; with 64 KiB an upload
 * waits for the network after every chunk. Servers without the private field serve slowly; a test checks the window.
 */
export function widenFlowControl(
  server: Server,
  bytes: { readonly stream: number; readonly connection: number },
): void {
  const inner = server as unknown as { createHttp2Server(credentials: unknown): Http2Server };
  const create = inner.createHttp2Server.bind(server);
  inner.createHttp2Server = (credentials) => {
    const made = create(credentials);
    made.updateSettings({ initialWindowSize: bytes.stream });
    made.on('session', (session) => session.setLocalWindowSize(bytes.connection));
    return made;
  };
}
