import type {
  CreateAllocationsRequest,
  CreateServerResponse,
  DeleteAllocationRequest,
  DeleteNodeRequest,
  Egg,
  SendCommandRequest,
  SendPowerActionRequest,
  TransferServerRequest,
  UpdateStartupRequest,
} from '@panel/protos/servers';
import type { Happening } from '../usecases/activity-log.js';
import { readPowerAction } from './server.js';

/** What is told of a call about one server, and no more than that. */
export function about(event: string) {
  return ({ serverId }: { readonly serverId: string }): Happening => ({ event, serverId });
}

type Named = { readonly id: string; readonly name: string } | undefined;

/** What is told of nests, eggs and nodes. */
export function nestTold(event: string) {
  return (_: unknown, { nest }: { readonly nest?: Named }): Happening => ({ event, properties: named(nest) });
}

export function eggTold(event: string) {
  return (_: unknown, { egg }: { readonly egg?: Egg | undefined }): Happening => {
    return { event, properties: egg ? { id: egg.id, name: egg.spec?.name ?? '' } : {} };
  };
}

export function nodeTold(event: string) {
  return (_: unknown, { node }: { readonly node?: Named }): Happening => ({ event, properties: named(node) });
}

function named(thing: Named): Record<string, string> {
  return thing ? { id: thing.id, name: thing.name } : {};
}

export function nodeDeleted({ nodeId }: DeleteNodeRequest): Happening {
  return { event: 'node:delete', properties: { id: nodeId } };
}

export function allocationDeleted({ nodeId, allocationId }: DeleteAllocationRequest): Happening {
  return { event: 'allocation:delete', properties: { id: allocationId, node_id: nodeId } };
}

export function serverCreated(_: unknown, { server }: CreateServerResponse): Happening {
  return { event: 'server:create', serverId: server?.id ?? '', properties: { name: server?.name ?? '' } };
}

export function powered({ serverId, action }: SendPowerActionRequest): Happening {
  return { event: `server:power.${readPowerAction(action)}`, serverId };
}

export function commanded({ serverId, command }: SendCommandRequest): Happening {
  return { event: 'server:console.command', serverId, properties: { command } };
}

/** Values of variables can be passwords: only names are told. */
export function startupChanged(request: UpdateStartupRequest): Happening {
  const { serverId, environment, dockerImage, startupCommand } = request;
  const properties = {
    variables: Object.keys(environment).join(' '),
    ...(dockerImage === undefined ? {} : { docker_image: dockerImage }),
    ...(startupCommand === undefined ? {} : { startup_command: startupCommand }),
  };
  return { event: 'server:startup.update', serverId, properties };
}

export function transferBegun({ serverId, nodeId }: TransferServerRequest): Happening {
  return { event: 'server:transfer.start', serverId, properties: { node_id: nodeId } };
}

export function allocationsMade({ nodeId, ip, ports }: CreateAllocationsRequest): Happening {
  return { event: 'allocation:create', properties: { node_id: nodeId, ip, ports: ports.join(' ') } };
}
