import { setTimeout as wait } from 'node:timers/promises';
import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { ConsoleServiceService, ServerPermission } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { nodeStatus } from '../../domain/nodes/node.js';
import { checkPowerAction } from '../../domain/power/power-transitions.js';
import type { GameServer, PowerAction } from '../../domain/servers/server.js';
import { runtimeError } from '@panel/runtime';
import { readPowerAction } from '../../present/server.js';
import { loadServer, nodeOf } from '../../usecases/servers/load-server.js';

/** An engine that is asked before a start is refused has this long. */
const pingMs = 2_000;

/** Whoever may stop may also kill. */
const permissionFor: Readonly<Record<PowerAction, ServerPermission>> = {
  start: 'control.start',
  stop: 'control.stop',
  restart: 'control.restart',
  kill: 'control.stop',
};

export function sendPowerAction(context: ServersContext): Handler<ConsoleServiceService['sendPowerAction']> {
  return async (request, { actor }) => {
    const action = readPowerAction(request.action);
    const { server } = await loadServer(context, request.serverId, actor, action ? permissionFor[action] : undefined);
    if (!action) throw invalidFields({ action: ['must be start, stop, restart or kill'] });
    if (action === 'start' || action === 'restart') await requireReachable(context, server, action);
    return { operationId: await context.engine.power.request(server, action) };
  };
}

/** A start that cannot come to anything is refused at once; a stop is carried out when the engine is back. */
async function requireReachable(context: ServersContext, server: GameServer, action: PowerAction): Promise<void> {
  const node = await nodeOf(context, server);
  if (nodeStatus(node.health, context.clock()) !== 'offline') return;
  // It may be back since somebody looked.
  const late = wait(pingMs, false, { ref: false });
  const answers = context.engine.runtimes
    .of(node)
    .ping()
    .then(
      () => true,
      () => false,
    );
  if (await Promise.race([answers, late])) return;
  checkPowerAction(server, action, context.clock());
  throw runtimeError('NODE_UNREACHABLE', 'the container engine of this server does not answer', {
    node_id: server.nodeId,
  });
}
