import { isAppError } from '@panel/kit/errors';
import { createDoneMatcher } from '../domain/eggs/done.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import { fail } from '../reasons.js';
import type { Runtime } from '@panel/runtime';
import { imageNotices } from './image-notices.js';
import type { GameDeps } from './dependencies.js';
import type { PowerLease } from './power-lease.js';
import { instanceSpec } from './instance-spec.js';
import { pullCredentials } from './pull-credentials.js';
import { writeConfig } from './write-config.js';

/**
 * Releases the lease; the state stays `starting` until the ready line. Resolves with the generation. Throws LEASE_LOST
 * (nothing stays running), and the engine's errors.
 */
export async function startGame(
  deps: GameDeps,
  lease: PowerLease,
  server: GameServer,
  node: GameNode,
  runtime: Runtime,
): Promise<number> {
  await checkDisk(deps, server, node);
  const volume = await deps.files.openVolume(node, server);
  const { allocations } = server;
  await writeConfig(deps, server, { node, runtime }, allocations);
  // A start overtaken by a kill may still pull its image.
  const started = await deps.engineCalls.run(server.id, async () => {
    const starting = await deps.servers.power.beginStart(server.id, lease.id);
    if (!starting) throw fail('LEASE_LOST', 'another power action has taken over', { server_id: server.id });
    deps.failpoint('start.claimed');
    const around = { volume, allocations, timezone: deps.settings.timezone };
    const spec = instanceSpec(starting, around, deps.settings.stopGraceMs);
    const credentials = await pullCredentials(deps, runtime, starting, spec.image);
    await runtime.create({ ...spec, ...credentials }, imageNotices(deps, server));
    await lease.check();
    deps.failpoint('start.created');
    await runtime.start(server.id);
    deps.failpoint('start.started');
    await killIfOvertaken(deps, lease, runtime, starting.power.generation);
    return starting;
  });
  await lease.stop();
  await deps.servers.power.release(server.id, lease.id);
  await deps.hub.attach(runtime, [{ serverId: server.id, generation: started.power.generation }]);
  if (createDoneMatcher(server.egg.config).isEmpty) {
    await deps.servers.power.markRunning(server.id, started.power.generation);
  }
  return started.power.generation;
}

/** Above its disk limit a server may stop but not start. */
async function checkDisk(deps: GameDeps, server: GameServer, node: GameNode): Promise<void> {
  if (server.limits.diskMb === 0) return;
  const used = await deps.files.usage(node, server);
  if (used <= server.limits.diskMb * 1024 * 1024) return;
  throw fail('DISK_FULL', `the files take more than the ${server.limits.diskMb} MB of this server: delete some first`);
}

/** A kill between check and start found nothing to kill. A run that another process has adopted stays. */
async function killIfOvertaken(
  { servers }: Pick<GameDeps, 'servers'>,
  lease: PowerLease,
  runtime: Runtime,
  generation: number,
): Promise<void> {
  try {
    await lease.check();
  } catch (error) {
    if (!isAppError(error, 'LEASE_LOST')) throw error;
    const isOurs = (await runtime.inspect(lease.serverId))?.generation === generation;
    if (isOurs && !isAdopted(await servers.get(lease.serverId), generation)) await runtime.kill(lease.serverId);
    throw error;
  }
}

/** Wanted, without a request in progress. */
function isAdopted(server: GameServer | null, generation: number): boolean {
  if (!server || server.suspended || server.operation) return false;
  const { state, lease, generation: current } = server.power;
  return current === generation && lease === null && (state === 'starting' || state === 'running');
}
