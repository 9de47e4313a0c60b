import { fail } from '../reasons.js';
import { route, type Route } from '../routes/route.js';
import { rateHeadersOf } from '../middleware/rate-headers.js';
import { serverWithAccess } from '../middleware/authorise.js';
import type { GatewayConfig } from '../config.js';
import type { Channels } from './channels.js';
import { ConsoleSocket } from './console-socket.js';
import { consoleEndpoint } from './declaration.js';
import type { SocketParts } from './parts.js';
import type { SocketSlots } from './slots.js';
import type { Upgrader } from './upgrade.js';

export interface SocketRouteOptions {
  readonly parts: SocketParts;
  readonly channels: Channels;
  readonly slots: SocketSlots;
  readonly corsOrigins: GatewayConfig['corsOrigins'];
  readonly credentialOf: (request: Parameters<Upgrader['check']>[0]) => ConsoleSocket['user']['credential'];
  readonly upgrader: () => Upgrader;
  /** Told of every socket that opens and closes. */
  readonly onOpen: (socket: ConsoleSocket) => void;
}

/** The console socket, declared like every other endpoint and behind the same checks. */
export function socketRoute(options: SocketRouteOptions): Route {
  const { parts, channels, slots, upgrader } = options;
  return route({
    ...consoleEndpoint,
    work: async ({ params, services, rpc, caller, ip, exchange }) => {
      const { request, response, requestId, rate } = exchange;
      upgrader().check(request);
      checkOrigin(request.headers.origin, request.headers.host, options.corsOrigins);
      const found = await serverWithAccess(services, params.id, ['websocket.connect'], rpc);
      if (found.suspended) throw fail('SERVER_SUSPENDED', 'the server is suspended');
      if (!caller) throw new TypeError('a socket without a caller');
      const release = await slots.take(found.id, caller.identity.userId);
      request.socket.once('close', release);
      if (request.socket.destroyed) release();
      exchange.takeOver();
      const headers = {
        'X-Request-Id': requestId,
        'Retry-After': '0',
        ...(rate ? Object.fromEntries(rateHeadersOf(rate)) : {}),
      };
      upgrader().accept({ request, response, headers }, (open) => {
        const user = { credential: options.credentialOf(request), caller, ip };
        const socket = new ConsoleSocket(parts, open, found, user);
        options.onOpen(socket);
        channels.join(socket);
      });
    },
  });
}

/**
 * Browsers say which page opens a socket. Only pages of the panel's own origin and of the listed ones may; programs that
 * are no browsers say nothing.
 */
function checkOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw fail('ORIGIN_NOT_ALLOWED', 'pages of this origin may not open a console');
}
