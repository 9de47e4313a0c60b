import type { Http2Server } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * The HTTP/2 window of request bodies. grpc-js (1.14) has this option for clients only; with 64 KiB an upload waits
 * after every chunk. Without the private field servers are slow; a test checks the window.
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
