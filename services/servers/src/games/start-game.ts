import { isAppError } from '@panel/kit/errors';
import { createDoneMatcher } from '../domain/eggs/done.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import { fail } from '../reasons.js';
import type { Runtime } from '@panel/runtime';
import { imageNotices } from './image-notices.js';
import type { GameDeps } from './deps.js';
import type { PowerLease } from './power-lease.js';
import { instanceSpec } from './instance-spec.js';
import { writeConfig } from './write-config.js';

/**
 * Make and start the next generation of a server, and let go of the lease: the state stays `starting` until the game says
 * that it is ready. Resolves with the generation. Throws LEASE_LOST when the lease went to another worker (then nothing of ours runs), and whatever the
 * engine throws.
 */
export async function startGame(
  deps: GameDeps,
  lease: PowerLease,
  server: GameServer,
  node: GameNode,
  runtime: Runtime,
): Promise<number> {
  await checkDisk(deps, server, node);
  const volume = await deps.files.ensureVolume(node, server);
  const { allocations } = server;
  await writeConfig(deps, server, { node, runtime }, allocations);
  // One at a time: a start that was overtaken by a kill may still be pulling its image.
  const started = await deps.engineCalls.run(server.id, async () => {
    const starting = await deps.servers.power.beginStart(server.id, lease.id);
    if (!starting) throw fail('LEASE_LOST', 'another power action has taken over', { server_id: server.id });
    deps.failpoint('start.claimed');
    const around = { volume, allocations, timezone: deps.settings.timezone };
    const spec = instanceSpec(starting, around, deps.settings.stopGraceMs);
    await runtime.create(spec, imageNotices(deps, server));
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

/** A server that is over its disk limit may stop but not start. */
async function checkDisk(deps: GameDeps, server: GameServer, node: GameNode): Promise<void> {
  if (server.limits.diskMb === 0) return;
  const used = await deps.files.usage(node, server.id);
  if (used <= server.limits.diskMb * 1024 * 1024) return;
  throw fail('DISK_FULL', `the files take more than the ${server.limits.diskMb} MB of this server: delete some first`);
}

/**
 * The kill that took the lease may have come between our check and the start, and found nothing to kill. While this process
 * slept another one may have gone on with what it found instead: then the run is no longer ours to end.
 */
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

/** Whether this run is meant to be there, and no request is about to begin or end another one. */
function isAdopted(server: GameServer | null, generation: number): boolean {
  if (!server || server.suspended || server.operation) return false;
  const { state, lease, generation: current } = server.power;
  return current === generation && lease === null && (state === 'starting' || state === 'running');
}
