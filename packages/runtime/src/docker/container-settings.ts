import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { InstallSpec, InstanceSpec } from '../runtime.js';
import { shellArguments, toShell } from '../startup.js';
import { installerName, makeLabels, ownerName } from './labels.js';
import { networkName, networkOf, type NetworkSettings, afterLinkLocalBlocked } from './network.js';
import { installerLimits, resourcesOf } from './resources.js';

const gameDirectory = '/home/container';
export const installScriptPath = '/mnt/install/install.sh';
const installDirectory = '/mnt/server';
const pidsLimit = 512;
/** Below the hard limit of common engines. */
const maxOpenFiles = 16_384;

/** For package managers. No device nodes, raw sockets or other namespaces. */
const installerCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETUID', 'SETGID', 'KILL'];

export interface ImageFacts {
  /** Its own entrypoint reads STARTUP. */
  readonly readsStartup: boolean;
  /** Its default command. */
  readonly command: readonly string[];
  readonly hasInit: boolean;
}

export interface SettingsContext {
  readonly panelId: string;
  readonly ioWeightWorks: boolean;
  readonly network: NetworkSettings;
}

function confinement({ network }: SettingsContext): HostConfig {
  return {
    NetworkMode: networkName,
    ...(network.dns.length === 0 ? {} : { Dns: [...network.dns] }),
    RestartPolicy: { Name: 'no' },
    SecurityOpt: ['no-new-privileges'],
    CapDrop: ['ALL'],
    PidsLimit: pidsLimit,
    Privileged: false,
    PublishAllPorts: false,
    IpcMode: 'private',
    OomKillDisable: false,
    Tmpfs: { '/tmp': 'rw,exec,nosuid,size=100m' },
    Ulimits: [
      { Name: 'nofile', Soft: maxOpenFiles, Hard: maxOpenFiles },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    // Blocking, because mode=non-blocking drops lines on a slow disk. Several files, because a single one is emptied at
    // rotation. Late readers find the last 20 to 30 MB.
    LogConfig: { Type: 'local', Config: { 'max-size': '10m', 'max-file': '3', compress: 'false' } },
  };
}

/** Unlike a "source:target" string, takes every path and never creates a missing source. */
function mountVolume(path: string, target: string): HostConfig['Mounts'] {
  return [{ Type: 'bind', Source: path, Target: target, ReadOnly: false, BindOptions: { Propagation: 'rprivate' } }];
}

function environmentOf(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}

function portSettings(ports: InstanceSpec['ports']): Pick<ContainerCreateOptions, 'ExposedPorts'> & {
  PortBindings: Record<string, { HostIp: string; HostPort: string }[]>;
} {
  const PortBindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const { ip, port } of ports) {
    for (const protocol of ['tcp', 'udp']) {
      (PortBindings[`${port}/${protocol}`] ??= []).push({ HostIp: ip, HostPort: String(port) });
    }
  }
  return { ExposedPorts: Object.fromEntries(Object.keys(PortBindings).map((key) => [key, {}])), PortBindings };
}

/** A game server's container (mount at /home/container, TTY, standard input open). */
export function gameContainer(
  spec: InstanceSpec,
  reference: string,
  facts: ImageFacts,
  context: SettingsContext,
): ContainerCreateOptions {
  const { ExposedPorts, PortBindings } = portSettings(spec.ports);
  const command = facts.readsStartup ? facts.command : shellArguments(toShell(spec.startup));
  const [program, ...args] = context.network.reachesLinkLocal ? command : afterLinkLocalBlocked(command);
  return {
    name: spec.serverId,
    Hostname: spec.serverId,
    Image: reference,
    Labels: makeLabels(context.panelId, spec.serverId, 'server', spec.generation),
    User: `${spec.volume.uid}:${spec.volume.gid}`,
    WorkingDir: gameDirectory,
    // Makes the init signal the game too, not only its shell.
    Env: environmentOf({
      TINI_KILL_PROCESS_GROUP: '1',
      HOME: gameDirectory,
      STARTUP: spec.startup,
      ...spec.environment,
    }),
    StopSignal: spec.stop?.signal ?? 'SIGTERM',
    StopTimeout: Math.ceil((spec.stop?.graceMs ?? 30_000) / 1000),
    Entrypoint: program,
    Cmd: args,
    Tty: true,
    OpenStdin: true,
    StdinOnce: false,
    ExposedPorts,
    HostConfig: {
      ...confinement(context),
      ...resourcesOf(spec.limits, context.ioWeightWorks),
      // Without a memory limit the game could take the node's memory.
      OomKillDisable: spec.limits.isOomKillDisabled === true && spec.limits.memoryMb > 0,
      NetworkMode: networkOf(spec.outgoingIp),
      Init: !facts.hasInit,
      ReadonlyRootfs: true,
      Mounts: mountVolume(spec.volume.path, gameDirectory),
      PortBindings,
    },
  };
}

/** An installation's container. Package managers need root and a writable root file system. */
export function installerContainer(
  spec: InstallSpec,
  reference: string,
  context: SettingsContext,
): ContainerCreateOptions {
  return {
    name: installerName(spec.serverId),
    Hostname: 'installer',
    Image: reference,
    Labels: makeLabels(context.panelId, spec.serverId, 'installer'),
    User: '0:0',
    Env: environmentOf(spec.environment),
    Entrypoint: spec.entrypoint,
    Cmd: [installScriptPath],
    Tty: true,
    OpenStdin: false,
    HostConfig: {
      ...confinement(context),
      ...resourcesOf(installerLimits(spec.limits), context.ioWeightWorks),
      Init: true,
      CapAdd: installerCapabilities,
      Mounts: mountVolume(spec.volume.path, installDirectory),
    },
  };
}

/** Gives an installed volume to its user. Changes links, never their targets. */
export function ownerContainer(spec: InstallSpec, reference: string, context: SettingsContext): ContainerCreateOptions {
  return {
    name: ownerName(spec.serverId),
    Hostname: 'installer',
    Image: reference,
    Labels: makeLabels(context.panelId, spec.serverId, 'installer'),
    User: '0:0',
    Entrypoint: 'chown',
    Cmd: ['-R', '-h', `${spec.volume.uid}:${spec.volume.gid}`, installDirectory],
    Tty: true,
    HostConfig: {
      ...confinement(context),
      NetworkMode: 'none',
      Init: true,
      ReadonlyRootfs: true,
      CapAdd: ['CHOWN', 'DAC_OVERRIDE'],
      Memory: 256 * 1024 * 1024,
      MemorySwap: 256 * 1024 * 1024,
      CpuPeriod: 100_000,
      CpuQuota: 100_000,
      Mounts: mountVolume(spec.volume.path, installDirectory),
    },
  };
}
