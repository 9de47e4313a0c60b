import { checkServerId } from '../check-spec.js';
import { runtimeError } from '../reasons.js';
import type { InstanceStats, OutputChunk, ReadOutputOptions, Runtime, RuntimeEvent } from '../runtime.js';
import { describeGame, isLive, killContainer, toInstance } from './containers.js';
import { Engine, type EngineOptions } from './engine.js';
import { EngineFeatures } from './features.js';
import { Images } from './images.js';
import { Inputs } from './input.js';
import { installInContainer } from './installer.js';
import { Instances } from './instances.js';
import { LineTails } from './line-tail.js';
import { gatewayOf, type NetworkSettings, startIdOf } from './network.js';
import { readContainerOutput } from './output.js';
import { withPreviews } from './previews.js';
import { signalContainer } from './signals.js';
import { readContainerStats, sampleContainer } from './stats.js';
import { watchContainers } from './watch.js';

export interface DockerRuntimeOptions extends EngineOptions {
  /** Of the installation: distinguishes its instances from those of others on the engine. Default "panel". */
  readonly panelId?: string;
  /** Default: the engine's name servers, no link-local addresses. */
  readonly network?: NetworkSettings;
  /** Platforms of images beside its own that the node runs, like "linux/arm64". Default: none. */
  readonly emulatedPlatforms?: readonly string[];
}

/** Connects on the first call; the engine may disappear and return. Throws TypeError for an invalid url. */
export function createDockerRuntime(options: DockerRuntimeOptions): Runtime {
  const panelId = options.panelId ?? 'panel';
  const network = options.network ?? { dns: [], reachesLinkLocal: false };
  const engine = new Engine(options);
  const features = new EngineFeatures(engine);
  const images = new Images(engine, features, options.emulatedPlatforms ?? []);
  const tails = new LineTails(engine);
  const instances = new Instances({ engine, images, features, tails, panelId, network });
  const inputs = new Inputs(engine);

  const existing = async (serverId: string) => {
    checkServerId(serverId);
    const info = await describeGame(engine, serverId);
    if (!info) throw runtimeError('INSTANCE_NOT_FOUND', 'there is no such instance on the node', { serverId });
    return info;
  };

  async function* readOutput(serverId: string, read: ReadOutputOptions): AsyncGenerator<OutputChunk> {
    if (read.signal.aborted) return;
    const { Id } = await existing(serverId);
    const readLog = (options: ReadOutputOptions) => readContainerOutput(engine, Id, options);
    yield* read.hasPreviews === true ? withPreviews(readLog, read, tails, Id) : readLog(read);
  }

  async function* readStats(serverId: string, signal: AbortSignal): AsyncGenerator<InstanceStats> {
    if (signal.aborted) return;
    const info = await existing(serverId);
    if (!isLive(info)) return;
    const { generation } = toInstance(info);
    const run = { containerId: info.Id, generation, startedAt: new Date(info.State.StartedAt) };
    yield* readContainerStats(engine, run, signal);
  }

  return {
    kind: 'docker',
    capabilities: { limits: true, isolation: true, ports: true, networkStats: true },
    ping: async () => engine.ping(),
    systemTime: async () => features.systemTime(),
    startId: async () => startIdOf(engine),
    machine: async () => features.machine(),
    hostAddress: async () => gatewayOf(engine),
    create: async (spec, onProgress) => instances.create(spec, onProgress),
    start: async (serverId) => instances.start(serverId),
    signal: async (serverId, signal) => {
      checkServerId(serverId);
      const info = await describeGame(engine, serverId);
      if (!info || !isLive(info)) return;
      if (signal === 'SIGKILL') await killContainer(engine, info.Id);
      else await signalContainer(engine, info, signal);
    },
    resume: async (serverId) => instances.resume(serverId),
    kill: async (serverId) => instances.kill(serverId),
    remove: async (serverId) => instances.remove(serverId),
    updateLimits: async (serverId, limits) => instances.updateLimits(serverId, limits),
    inspect: async (serverId) => instances.inspect(serverId),
    list: async () => instances.list(),
    watch: (signal): AsyncIterable<RuntimeEvent> => watchContainers(engine, signal),
    readOutput,
    writeInput: async (serverId, data) => {
      checkServerId(serverId);
      await inputs.write(serverId, data);
    },
    readStats,
    sampleUsage: async (serverId) => {
      checkServerId(serverId);
      return sampleContainer(engine, serverId);
    },
    install: async (spec, onOutput, signal) =>
      installInContainer({ engine, images, features, panelId, network }, spec, onOutput, signal),
    close: async () => {
      inputs.close();
      tails.close();
      engine.close();
    },
  };
}
