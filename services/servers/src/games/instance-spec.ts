import { isIPv4 } from 'node:net';
import type { ServerAllocation } from '../domain/allocations/allocation.js';
import { environmentOf } from '../domain/servers/environment.js';
import type { GameServer } from '../domain/servers/server.js';
import { takeoverDefaults } from '../domain/eggs/takeover-variables.js';
import { parseStop } from '../domain/eggs/stop.js';
import { runSettingsOf, stopGraceMsOf } from '../domain/servers/run-settings.js';
import type { InstallSpec, InstanceLimits, InstanceSpec, Volume } from '@panel/runtime';

interface SpecContext {
  readonly volume: Volume;
  /** All of the server's. */
  readonly allocations: readonly ServerAllocation[];
  readonly timezone: string;
}

export function instanceSpec(server: GameServer, around: SpecContext, defaultGraceMs: number): InstanceSpec {
  const stop = parseStop(server.egg.config.stop);
  return {
    serverId: server.id,
    generation: server.power.generation,
    image: server.dockerImage,
    startup: server.startup,
    environment: runEnvironmentOf(server, around),
    volume: around.volume,
    limits: limitsOf(server),
    stop: { signal: stop.kind === 'signal' ? stop.signal : 'SIGTERM', graceMs: stopGraceMsOf(server, defaultGraceMs) },
    ports: around.allocations.map(({ ip, port }) => ({ ip, port })),
    ...outgoingIpOf(server, around),
  };
}

/** Only an address of the node can be a source address. */
function outgoingIpOf({ egg, allocationId }: GameServer, { allocations }: SpecContext): { outgoingIp?: string } {
  if (!egg.forceOutgoingIp) return {};
  const ip = allocations.find(({ id }) => id === allocationId)?.ip ?? '';
  const isOfNode = isIPv4(ip) && ip !== '0.0.0.0' && !ip.startsWith('127.');
  return isOfNode ? { outgoingIp: ip } : {};
}

export function installSpec(
  server: GameServer,
  around: SpecContext,
  timeoutMs: number,
): Omit<InstallSpec, 'onProgress'> {
  return {
    serverId: server.id,
    image: server.egg.script.container,
    entrypoint: server.egg.script.entrypoint,
    script: server.egg.script.install,
    environment: { ...runEnvironmentOf(server, around), ...takeoverDefaults(server.egg.variables) },
    volume: around.volume,
    limits: limitsOf(server),
    timeoutMs,
  };
}

export function limitsOf(server: GameServer): InstanceLimits {
  const { memoryMb, swapMb, cpuPercent, ioWeight } = server.limits;
  const { threads, isOomKillDisabled } = runSettingsOf(server);
  return {
    memoryMb,
    swapMb,
    cpuPercent,
    ioWeight,
    ...(threads === '' ? {} : { threads }),
    ...(isOomKillDisabled ? { isOomKillDisabled } : {}),
  };
}

export function runEnvironmentOf(
  server: GameServer,
  { allocations, timezone }: Omit<SpecContext, 'volume'>,
): Record<string, string> {
  const primary = allocations.find(({ id }) => id === server.allocationId) ?? allocations[0];
  return environmentOf(server, primary ?? { ip: '0.0.0.0', port: 0 }, timezone);
}
