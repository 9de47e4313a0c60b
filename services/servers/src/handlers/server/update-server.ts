import { type Handler, requirePermission } from '@panel/rpc';
import { invalidFields, isAppError } from '@panel/kit';
import type { ServerServiceService, UpdateServerRequest } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { Egg } from '../../domain/eggs/egg.js';
import type { GameServer } from '../../domain/servers/server.js';
import { limitsOf } from '../../usecases/power/instance-spec.js';
import { beginReinstall, checkReinstall } from '../../usecases/servers/reinstall-server.js';
import { type ServerUpdate, updateServer as change } from '../../usecases/servers/update-server.js';
import { nodeOf } from '../../usecases/servers/load-server.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function updateServer(context: ServersContext): Handler<ServerServiceService['updateServer']> {
  return async (request, { actor }) => {
    requirePermission(actor, 'servers.update');
    const before = await context.stores.servers.get(request.serverId);
    if (!before) throw serverNotFound();
    const nextEgg = await nextEggOf(context, request, before);
    if (request.reinstall) checkReinstall(before, context.clock());
    else if (before.operation) checkUnlocked(before);
    let server = await change(context, before, { ...updateOf(request), nextEgg }, context.clock());
    const restartNeeded = await applyLive(context, before, server);
    if (request.reinstall) {
      const { skipScripts, dockerImage, startup } = request;
      const eggId = nextEgg?.id ?? server.eggId;
      server = await beginReinstall(context.stores, server, { eggId, skipScripts, chosen: { dockerImage, startup } });
      context.engine.runNow();
    }
    return { server: await showServer(context, server, actor, true), restartNeeded };
  };
}

/** The egg the server gets by this, when it is another one. */
async function nextEggOf(
  { stores }: ServersContext,
  { eggId, reinstall }: UpdateServerRequest,
  server: GameServer,
): Promise<Egg | undefined> {
  if (eggId === undefined || eggId === server.eggId) return undefined;
  if (!reinstall) throw invalidFields({ egg_id: ['changes only together with reinstall'] });
  const egg = await stores.eggs.get(eggId);
  if (!egg) throw invalidFields({ egg_id: ['is no egg'] });
  return egg;
}

function updateOf(request: UpdateServerRequest): Omit<ServerUpdate, 'nextEgg'> {
  const { limits = {}, featureLimits = {} } = request;
  return {
    name: request.name,
    description: request.description,
    userId: request.userId,
    externalId: request.externalId,
    limits: definedFields(limits),
    featureLimits: definedFields(featureLimits),
    dockerImage: request.dockerImage,
    startup: request.startup,
    environment: request.environment,
    allocationId: request.allocationId,
    addAllocationIds: request.addAllocationIds,
    removeAllocationIds: request.removeAllocationIds,
  };
}

function definedFields<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Change the limits of a running game; whether it keeps some of its old settings until it is started anew. */
async function applyLive(context: ServersContext, before: GameServer, after: GameServer): Promise<boolean> {
  if (after.power.state === 'offline') return false;
  const settings = ({ dockerImage, startup, environment, allocationId, allocations }: GameServer) =>
    JSON.stringify([dockerImage, startup, environment, allocationId, allocations.map(({ id }) => id)]);
  const isSame = settings(before) === settings(after);
  if (JSON.stringify(limitsOf(before)) === JSON.stringify(limitsOf(after))) return !isSame;
  const runtime = context.engine.runtimes.of(await nodeOf(context, after));
  try {
    return !(await runtime.updateLimits(after.id, limitsOf(after))) || !isSame;
  } catch (error) {
    // It ended meanwhile, or its engine does not answer: the new limits hold from the next start.
    if (isAppError(error, 'INSTANCE_NOT_FOUND', 'NODE_UNREACHABLE', 'ENGINE_FAILED')) return true;
    throw error;
  }
}
