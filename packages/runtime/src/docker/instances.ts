import type { ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import { checkInstanceSpec, checkNewLimits, checkServerId } from '../check-spec.js';
import { runtimeError } from '../reasons.js';
import type { Instance, InstanceLimits, InstanceSpec, ListedInstance, ProgressListener } from '../runtime.js';
import { gameContainer } from './container-settings.js';
import {
  describe,
  describeGame,
  describeOwn,
  idsOfGame,
  isLive,
  isOfPanel,
  killContainer,
  removeContainer,
  startContainer,
  toInstance,
  unpauseContainer,
} from './containers.js';
import { engineMessage, notAnEngine, statusOf, unexpectedError, type Engine } from './engine.js';
import type { EngineFeatures } from './features.js';
import type { Images } from './images.js';
import { installerName, label, labelFilter, ownerName } from './labels.js';
import type { LineTails } from './line-tail.js';
import { blockLinkLocal, ensureNetworks, type NetworkSettings } from './network.js';
import { requireFreePorts } from './occupied-ports.js';
import { resourcesOf } from './resources.js';

const startMs = 60_000;
const inspectsAtOnce = 8;

interface Parts {
  readonly engine: Engine;
  readonly images: Images;
  readonly features: EngineFeatures;
  readonly tails: LineTails;
  readonly panelId: string;
  readonly network: NetworkSettings;
}

export class Instances {
  constructor(private readonly parts: Parts) {}

  async create(spec: InstanceSpec, onProgress?: ProgressListener): Promise<void> {
    checkInstanceSpec(spec, { allowRoot: false });
    await this.refuseIfRunning(spec.serverId);
    await requireFreePorts(this.parts.engine, this.parts.features, spec.ports);
    const { reference, facts } = await this.parts.images.provide(spec, onProgress);
    onProgress?.('create_container', spec.serverId);
    await ensureNetworks(this.parts.engine, this.parts.network, spec.outgoingIp);
    const { panelId, network } = this.parts;
    const context = { panelId, network, ioWeightWorks: await this.parts.features.ioWeightWorks() };
    for (const old of await this.refuseIfRunning(spec.serverId)) await removeContainer(this.parts.engine, old);
    await createContainer(this.parts.engine, gameContainer(spec, reference, facts, context));
  }

  async start(serverId: string): Promise<void> {
    const info = await this.own(serverId);
    if (!info) throw runtimeError('INSTANCE_NOT_FOUND', 'there is no such instance on the node', { serverId });
    if (!isLive(info)) await this.startCreated(info);
    // Games wait for this before they begin.
    if (!this.parts.network.reachesLinkLocal) await blockLinkLocal(this.parts.engine, info.Id);
  }

  private async startCreated({ Id, State }: ContainerInspectInfo): Promise<void> {
    if (State.Status !== 'created') {
      throw runtimeError('START_FAILED', 'the instance has ended and must be created again', { containerId: Id });
    }
    await this.parts.tails.prepare(Id);
    try {
      await startContainer(this.parts.engine, Id, startMs);
    } catch (error) {
      this.parts.features.learnFrom(error);
      throw error;
    }
  }

  async kill(serverId: string): Promise<void> {
    const info = await this.own(serverId);
    if (info && isLive(info)) await killContainer(this.parts.engine, info.Id);
  }

  async resume(serverId: string): Promise<void> {
    const info = await this.own(serverId);
    if (info?.State.Paused) await unpauseContainer(this.parts.engine, info.Id);
  }

  async remove(serverId: string): Promise<void> {
    checkServerId(serverId);
    for (const id of await idsOfGame(this.parts.engine, serverId)) await removeContainer(this.parts.engine, id);
    for (const name of [installerName(serverId), ownerName(serverId)]) {
      const info = await describeOwn(this.parts.engine, name);
      if (info) await removeContainer(this.parts.engine, info.Id);
    }
  }

  async inspect(serverId: string): Promise<Instance | null> {
    const info = await this.own(serverId);
    return info ? toInstance(info) : null;
  }

  /** Summaries lack exit codes and times: inspect each, a few at once. */
  async list(): Promise<ListedInstance[]> {
    const ids = await this.listIds();
    const found: ListedInstance[] = [];
    const work = ids.values();
    const worker = async () => {
      for (const id of work) {
        const info = await describe(this.parts.engine, id);
        if (info) found.push({ ...toInstance(info), isForeign: this.isForeign(info) });
      }
    };
    await Promise.all(Array.from({ length: inspectsAtOnce }, worker));
    return found;
  }

  async updateLimits(serverId: string, limits: InstanceLimits): Promise<boolean> {
    checkNewLimits(limits);
    const info = await this.own(serverId);
    if (!info || !isLive(info)) return false;
    const wanted = resourcesOf(limits, await this.parts.features.ioWeightWorks());
    const had = info.HostConfig;
    // The engine ignores a missing or zero limit.
    const takesAway =
      (!wanted.Memory && Boolean(had.Memory)) ||
      (!wanted.CpuQuota && Boolean(had.CpuQuota)) ||
      (!wanted.CpusetCpus && Boolean(had.CpusetCpus));
    // Fixed at creation.
    const keepsKill = (limits.isOomKillDisabled === true && limits.memoryMb > 0) === Boolean(had.OomKillDisable);
    if (takesAway || !keepsKill) return false;
    try {
      await this.parts.engine.call(async (docker, abortSignal) =>
        docker.getContainer(info.Id).update({ ...wanted, abortSignal }),
      );
      return true;
    } catch (error) {
      const status = statusOf(error);
      if (status === 404 || status === 409 || /device or resource busy|invalid argument/i.test(engineMessage(error)))
        return false;
      throw unexpectedError(error);
    }
  }

  private async listIds(): Promise<string[]> {
    try {
      const summaries = await this.parts.engine.call(
        async (docker, abortSignal) =>
          docker.listContainers({
            all: true,
            filters: { label: labelFilter('server') },
            abortSignal,
          }),
        { timeoutMs: this.parts.engine.timeoutMs * 2 },
      );
      if (!Array.isArray(summaries)) throw notAnEngine();
      return summaries.map((summary) => summary.Id);
    } catch (error) {
      throw unexpectedError(error);
    }
  }

  private isForeign({ Config }: ContainerInspectInfo): boolean {
    return Config.Labels[label.panel] !== this.parts.panelId;
  }

  private async own(serverId: string) {
    checkServerId(serverId);
    return describeGame(this.parts.engine, serverId);
  }

  /** Returns ids of the server's replaceable containers, by label or name. */
  private async refuseIfRunning(serverId: string): Promise<string[]> {
    const named = await describe(this.parts.engine, serverId);
    if (named && !isOfPanel(named)) {
      throw runtimeError('START_FAILED', 'a container that no panel has made has the name', { serverId });
    }
    const others = (await idsOfGame(this.parts.engine, serverId)).filter((id) => id !== named?.Id);
    const found = [named, ...(await Promise.all(others.map((id) => describe(this.parts.engine, id))))].filter(
      (info) => info !== null,
    );
    if (found.some(isLive)) throw runtimeError('INSTANCE_RUNNING', 'the instance runs', { serverId });
    return found.map(({ Id }) => Id);
  }
}

/** Throws START_FAILED with the engine's reason. */
export async function createContainer(engine: Engine, options: ContainerCreateOptions): Promise<string> {
  try {
    const container = await engine.call(
      async (docker, abortSignal) => docker.createContainer({ ...options, abortSignal }),
      { timeoutMs: startMs },
    );
    return container.id;
  } catch (error) {
    if (statusOf(error) === null) throw error;
    const reason = engineMessage(error);
    throw runtimeError('START_FAILED', 'the container could not be made', { reason }, { cause: error });
  }
}
