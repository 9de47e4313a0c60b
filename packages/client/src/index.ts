import { type ClientOptions, createClient, type PanelClient } from './client.js';
import { openPlatformSocket } from './socket.js';

export * from './types.js';

/** A client of the panel at `baseUrl`, for browsers and every platform with fetch and WebSocket. */
export function createPanelClient(options: ClientOptions): PanelClient {
  return createClient(options, openPlatformSocket);
}
