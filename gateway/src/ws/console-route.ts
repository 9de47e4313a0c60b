import { ConsoleServiceService } from '@panel/protos/servers';
import { fail } from '../reasons.js';
import { route, type Route } from '../declaration/route.js';
import { rateHeadersOf } from '../limits/rules.js';
import { getAccessibleServer, serverPermissionsOf } from '../auth/server-access.js';
import type { GatewayConfig } from '../config.js';
import type { Channels } from './channels.js';
import { ConsoleSocket } from './console-socket.js';
import { consoleEndpoint } from '../routes/servers/console-socket.js';
import type { SocketDependencies } from './socket-dependencies.js';
import type { SocketSlots } from './slots.js';
import type { Upgrader } from './upgrade.js';

interface ConsoleRouteOptions {
  readonly dependencies: SocketDependencies;
  readonly channels: Channels;
  readonly slots: SocketSlots;
  readonly corsOrigins: GatewayConfig['corsOrigins'];
  readonly credentialOf: (request: Parameters<Upgrader['check']>[0]) => ConsoleSocket['user']['credential'];
  readonly upgrader: () => Upgrader;
  readonly onOpen: (socket: ConsoleSocket) => void;
}

/** Same checks as every endpoint. */
export function consoleRoute(options: ConsoleRouteOptions): Route {
  const { dependencies, channels, slots, upgrader } = options;
  return route({
    ...consoleEndpoint,
    handler: async ({ params, query, services, rpc, caller, ip, rawExchange }) => {
      const { request, response, requestId, rate } = rawExchange;
      checkOrigin(request.headers.origin, request.headers.host, options.corsOrigins);
      const found = await getAccessibleServer(
        services,
        params.id,
        serverPermissionsOf(ConsoleServiceService.watchServer),
        rpc,
      );
      if (found.suspended) throw fail('SERVER_SUSPENDED', 'the server is suspended');
      if (!caller) throw new TypeError('a socket without a caller');
      const release = await slots.take(found.id, caller.identity.userId);
      try {
        // Last: a page cannot read why an upgrade is refused, and asks again without one.
        upgrader().check(request);
      } catch (error) {
        release();
        throw error;
      }
      request.socket.once('close', release);
      if (request.socket.destroyed) release();
      rawExchange.takeOver();
      const headers = {
        'X-Request-Id': requestId,
        'Retry-After': '0',
        ...(rate ? Object.fromEntries(rateHeadersOf(rate)) : {}),
      };
      upgrader().accept({ request, response, headers }, (open) => {
        const user = { credential: options.credentialOf(request), caller, ip, after: query.after ?? null };
        const socket = new ConsoleSocket(dependencies, open, found, user);
        options.onOpen(socket);
        channels.join(socket);
      });
    },
  });
}

/** Only the panel's and configured origins pass. Clients other than browsers send none. */
function checkOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw fail('ORIGIN_NOT_ALLOWED', 'pages of this origin may not open a console');
}
