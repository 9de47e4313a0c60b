import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { createServer } from '../../usecases/servers/create-server.js';
import { readNewServer } from './read-request.js';

export function handleCreateServer(context: ServersContext): Handler<ServerServiceService['createServer']> {
  return async (request, call) => {
    return { server: presentServer(await createServer(context, readNewServer(request), call)) };
  };
}
