import { EncodedServer, type ListServersResponse, Server, type ServerServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { digestOfPage, ListedServers, ServerEncoder } from '../../present/encoded-servers.js';
import { presentDamagedServer, presentServer } from '../../present/server.js';
import { listServers, type VisibleServer } from '../../usecases/servers/view-server.js';
import { pageInfo } from '../read-request.js';
import { readServerFilter, readServerPage } from './read-request.js';

export function handleListServers(context: ServersContext): Handler<ServerServiceService['listServers']> {
  const encoder = new ServerEncoder();
  return async (request, call) => {
    const filter = readServerFilter(request);
    const page = readServerPage(request);
    const { servers, total } = await listServers(context, filter, page, call);
    const answer: ListServersResponse = { servers: [], page: pageInfo(page, total), variables: [], listed: [] };
    if (request.sharesVariables) {
      const list = new ListedServers(encoder);
      const damaged = filter.isAll ? ({ server }: VisibleServer) => list.addDamaged(server) : undefined;
      const listed = presentEach(call, servers, (one) => list.add(one), EncodedServer, damaged);
      const digest = digestOfPage(listed);
      if (digest === request.knownDigest) return { ...answer, digest };
      return { ...answer, listed, variables: list.variables, digest };
    }
    const present = (one: VisibleServer) => presentServer(one, { withoutCommands: !filter.isAll });
    const damaged = filter.isAll ? ({ server }: VisibleServer) => presentDamagedServer(server) : undefined;
    return { ...answer, servers: presentEach(call, servers, present, Server, damaged) };
  };
}
