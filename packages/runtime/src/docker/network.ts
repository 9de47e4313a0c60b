import { isIPv4 } from 'node:net';
import type { NetworkCreateOptions } from 'dockerode';
import { runtimeError } from '../reasons.js';
import { abortable, type NetworkInfo } from './abortable-calls.js';
import type { Engine } from './engine.js';
import { engineMessage, statusOf, unexpectedError } from './engine.js';

export interface NetworkSettings {
  /** Addresses of name servers; empty: the engine's. */
  readonly dns: readonly string[];
  /** Link-local addresses give out the node's credentials on clouds. */
  readonly reachesLinkLocal: boolean;
}

/** Also the interface's name, for firewall rules (at most 15 characters). */
export const networkName = 'panel_nw';
/** A second bridge without peers, the target of link-local addresses. */
const blackholeName = 'panel_blackhole';
/** 169.254.0.0 as in `/proc/net/route`, for both byte orders. */
const linkLocalRoute = '0000FEA9|A9FE0000';
const connectMs = 60_000;

/** Games reach each other by published ports only. */
function gamesNetwork(name: string, outgoingIp?: string): NetworkCreateOptions {
  return {
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Options: {
      // Engines before API 1.44 may create two networks of one name in a race, but not of one interface.
      'com.docker.network.bridge.name': name,
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.enable_ip_masquerade': 'true',
      ...(outgoingIp !== undefined && { 'com.docker.network.host_ipv4': outgoingIp }),
    },
  };
}

/** A fixed outgoing address has its own bridge: `panel_` and the address in hex. */
export function networkOf(outgoingIp: string | undefined): string {
  if (outgoingIp === undefined) return networkName;
  return `panel_${Buffer.from(outgoingIp.split('.').map(Number)).toString('hex')}`;
}

/** Without a host address, so the host still reaches its cloud. */
const blackholeNetwork: NetworkCreateOptions = {
  Name: blackholeName,
  CheckDuplicate: true,
  Driver: 'bridge',
  Internal: true,
  // Clouds use none of the container addresses.
  IPAM: { Driver: 'default', Config: [{ Subnet: '169.254.0.0/16', IPRange: '169.254.16.0/20' }] },
  Options: {
    'com.docker.network.bridge.name': blackholeName,
    'com.docker.network.bridge.enable_icc': 'false',
    'com.docker.network.bridge.inhibit_ipv4': 'true',
  },
};

/** Creates missing networks. */
export async function ensureNetworks(
  engine: Engine,
  { reachesLinkLocal }: NetworkSettings,
  outgoingIp?: string,
): Promise<void> {
  const name = networkOf(outgoingIp);
  await ensureNetwork(engine, name, gamesNetwork(name, outgoingIp));
  if (!reachesLinkLocal) await ensureNetwork(engine, blackholeName, blackholeNetwork);
}

/** The machine's address on the games' bridge. */
export async function gatewayOf(engine: Engine): Promise<string> {
  await ensureNetwork(engine, networkName, gamesNetwork(networkName));
  const network = await inspect(engine, networkName);
  const gateway = network?.IPAM?.Config?.map(({ Gateway }) => Gateway ?? '').find((address) => isIPv4(address));
  if (gateway === undefined) throw runtimeError('ENGINE_FAILED', `the network ${networkName} has no gateway`);
  return gateway;
}

/** Changes at an engine restart, unless it keeps containers running. Empty without the engine's own bridge. */
export async function startIdOf(engine: Engine): Promise<string> {
  return (await inspect(engine, 'bridge'))?.Created ?? '';
}

/** Idempotent. */
export async function blockLinkLocal(engine: Engine, containerId: string): Promise<void> {
  try {
    await engine.call(
      async (docker, abortSignal) =>
        abortable(docker).getNetwork(blackholeName).connect({ Container: containerId, abortSignal }),
      { timeoutMs: connectMs },
    );
  } catch (error) {
    if (statusOf(error) === null) throw error;
    const reason = engineMessage(error);
    if (/already exists in network|already attached|already connected/i.test(reason)) return;
    throw runtimeError('START_FAILED', 'the container could not be kept from link-local addresses', { reason });
  }
}

/**
 * A command line that runs `command` after link-local addresses are blocked. Only running containers are connected:
 * older engines list the addresses of others in any order, so a game could listen on the wrong one.
 */
export function afterLinkLocalBlocked(command: readonly string[]): string[] {
  const script = `n=0; found=
while [ -z "$found" ]; do
  while read -r device target rest; do case "$target" in ${linkLocalRoute}) found=1;; esac; done </proc/net/route
  [ -n "$found" ] || { n=$((n + 1)); sleep 0.05 2>/dev/null || sleep 1; }
  [ "$n" -lt 1200 ] || { echo 'The network of this server was not made ready in time.' >&2; exit 1; }
done
unset n found device target rest
exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...command];
}

async function ensureNetwork(engine: Engine, name: string, options: NetworkCreateOptions): Promise<void> {
  if (await exists(engine, name)) return;
  try {
    await engine.call(async (docker, abortSignal) => docker.createNetwork({ ...options, abortSignal }));
  } catch (error) {
    if (statusOf(error) === null) throw error;
    if (await exists(engine, name)) return;
    const reason = engineMessage(error);
    throw runtimeError(
      'START_FAILED',
      `the network ${name} could not be made on the node`,
      { reason },
      { cause: error },
    );
  }
}

async function exists(engine: Engine, name: string): Promise<boolean> {
  return (await inspect(engine, name)) !== null;
}

async function inspect(engine: Engine, name: string): Promise<NetworkInfo | null> {
  try {
    return await engine.call(async (docker, abortSignal) =>
      abortable(docker).getNetwork(name).inspect({ abortSignal }),
    );
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw unexpectedError(error);
  }
}
