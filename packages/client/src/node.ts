import { type ClientOptions, createClient, type PanelClient } from './client.js';
import { openNodeSocket } from './node-socket.js';

export * from './types.js';

/** A client of the panel at `baseUrl`, for Node 22 and later. */
export function createPanelClient(options: ClientOptions): PanelClient {
  return createClient(options, openNodeSocket);
}
