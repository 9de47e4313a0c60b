import type { ServerAllocation } from '../domain/allocations/allocation.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import { renderConfig } from '../domain/eggs/render-config.js';
import type { Runtime } from '@panel/runtime';
import type { GameDeps } from './dependencies.js';
import { toConfigFileMessage } from './config-file-message.js';
import { runEnvironmentOf } from './instance-spec.js';

/** Names that only the node resolves. */
const nodeNames = 'config.docker.';

/** Unwritable files become console notices. Throws SERVICE_UNAVAILABLE: a start with old ports is worse than none. */
export async function writeConfig(
  { files, hub, settings }: Pick<GameDeps, 'files' | 'hub' | 'settings'>,
  server: GameServer,
  { node, runtime }: { readonly node: GameNode; readonly runtime: Pick<Runtime, 'hostAddress'> },
  allocations: readonly ServerAllocation[],
): Promise<void> {
  const primary = allocations.find(({ id }) => id === server.allocationId);
  const { memoryMb, swapMb, diskMb, ioWeight, cpuPercent } = server.limits;
  const { filesJson } = server.egg.config;
  const rendered = renderConfig(filesJson, {
    environment: runEnvironmentOf(server, { allocations, timezone: settings.timezone }),
    ip: primary?.ip ?? '0.0.0.0',
    port: primary?.port ?? 0,
    memoryMb,
    swapMb,
    diskMb,
    ioWeight,
    cpuPercent,
    image: server.dockerImage,
    serverId: server.id,
    serverName: server.name,
    hostIp: filesJson.includes(nodeNames) ? await runtime.hostAddress() : '',
  });
  const problems = [...rendered.problems];
  if (rendered.files.length > 0)
    problems.push(...(await files.rewriteConfig(node, server.id, rendered.files.map(toConfigFileMessage))));
  for (const problem of problems) hub.console(server.id).notice(`configuration: ${problem}`);
}
