import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import type { Runtimes } from '../node-clients/runtimes.js';
import type { ConsoleHub } from './console-hub.js';

const readMs = 1_000;
const inspectTimeoutMs = 1_500;

interface LastRunDeps {
  readonly hub: ConsoleHub;
  readonly runtimes: Pick<Runtimes, 'of'>;
  readonly log: Logger;
}

/** No-op if the engine has dropped the run. */
export async function attachLastRun(
  { hub, runtimes, log }: LastRunDeps,
  server: GameServer,
  node: GameNode,
): Promise<void> {
  const { generation, state } = server.power;
  if (state !== 'offline' || generation === 0 || hub.find(server.id)?.isAttached(generation)) return;
  const runtime = runtimes.of(node);
  try {
    const late = wait(inspectTimeoutMs, null, { ref: false });
    const instance = await Promise.race([runtime.inspect(server.id), late]);
    if (instance?.state !== 'exited' || instance.generation !== generation) return;
    await hub.attach(runtime, [{ serverId: server.id, generation }]);
    await hub.find(server.id)?.readToEnd(readMs);
  } catch (error) {
    log.debug({ err: error, serverId: server.id }, 'the last run cannot be shown');
  }
}
