import { hostname } from 'node:os';
import type { ContainerInfo } from 'dockerode';
import { findOccupiedPort, type HostPort, type OccupiedPort, portOccupied } from '../port-probe.js';
import { type Engine, unexpectedError } from './engine.js';
import type { EngineFeatures } from './features.js';

const anyAddress = new Set(['0.0.0.0', '::', '']);

/**
 * Throws PORT_OCCUPIED for another container's or program's port. Programs are visible on a local engine only; a remote
 * engine refuses the start.
 */
export async function requireFreePorts(
  engine: Engine,
  features: EngineFeatures,
  ports: readonly HostPort[],
): Promise<void> {
  if (ports.length === 0) return;
  const published = findPublished(await runningContainers(engine), ports);
  if (published) throw portOccupied(published, 'another container');
  if (!engine.isLocal || (await features.hostName()) !== hostname()) return;
  const occupied = await findOccupiedPort(ports);
  if (occupied) throw portOccupied(occupied);
}

async function runningContainers(engine: Engine): Promise<ContainerInfo[]> {
  try {
    return await engine.call(async (docker, abortSignal) => docker.listContainers({ abortSignal }), {
      timeoutMs: engine.timeoutMs * 2,
    });
  } catch (error) {
    throw unexpectedError(error);
  }
}

function findPublished(containers: readonly ContainerInfo[], ports: readonly HostPort[]): OccupiedPort | null {
  const published = containers.flatMap(({ Ports }) => Ports.filter(({ PublicPort }) => PublicPort > 0));
  for (const { ip, port } of ports) {
    const taken = published.find(
      ({ IP, PublicPort }) => PublicPort === port && (IP === ip || anyAddress.has(IP) || anyAddress.has(ip)),
    );
    if (taken) return { ip, port, protocol: taken.Type === 'udp' ? 'udp' : 'tcp' };
  }
  return null;
}

// From the engine's proxy ("listen tcp4 0.0.0.0:80: bind: …") or records ("Bind for 0.0.0.0:80 failed: …").
const named = /(?:listen (?<protocol>tcp|udp)[46]? |Bind for )\[?(?<ip>[0-9a-fA-F.:]+?)\]?:(?<port>\d+)/;

/** Null for another refusal. */
export function portOfRefusal(reason: string): OccupiedPort | null {
  const groups = named.exec(reason)?.groups;
  if (!groups) return null;
  const { ip = '', port, protocol } = groups;
  return { ip, port: Number(port), protocol: protocol === 'udp' ? 'udp' : 'tcp' };
}
