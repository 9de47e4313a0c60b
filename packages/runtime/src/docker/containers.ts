import type { ContainerInspectInfo } from 'dockerode';
import { runtimeError } from '../reasons.js';
import type { Instance } from '../runtime.js';
import { engineMessage, statusOf, unexpectedError, type Engine } from './engine.js';
import { label, labelFilter } from './labels.js';
import { addressNotOnNode, portOccupied } from '../port-probe.js';
import { portOfRefusal } from './occupied-ports.js';

const killMs = 20_000;
const removeMs = 60_000;

export async function describe(engine: Engine, name: string): Promise<ContainerInspectInfo | null> {
  try {
    return await engine.call(async (docker, abortSignal) => docker.getContainer(name).inspect({ abortSignal }));
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw unexpectedError(error);
  }
}

/** Null also for a container that no panel has made. */
export async function describeOwn(engine: Engine, name: string): Promise<ContainerInspectInfo | null> {
  const info = await describe(engine, name);
  return info && isOfPanel(info) ? info : null;
}

/** Ids of servers are unique: who knows one may act on its container, whichever installation has made that. */
export function isOfPanel({ Config }: ContainerInspectInfo): boolean {
  return Config.Labels[label.panel] !== undefined;
}

/** More than one only after an operator's rename. */
export async function idsOfGame(engine: Engine, serverId: string): Promise<string[]> {
  const filter = [...labelFilter('server'), `${label.server}=${serverId}`];
  try {
    const found = await engine.call(async (docker, abortSignal) =>
      docker.listContainers({ all: true, filters: { label: filter }, abortSignal }),
    );
    return found.map(({ Id }) => Id);
  } catch (error) {
    throw unexpectedError(error);
  }
}

/** By name, else by labels. Null when there is none. */
export async function describeGame(engine: Engine, serverId: string): Promise<ContainerInspectInfo | null> {
  const named = await describeOwn(engine, serverId);
  if (named) return named;
  const [id] = await idsOfGame(engine, serverId);
  return id === undefined ? null : describe(engine, id);
}

export function isLive(info: ContainerInspectInfo): boolean {
  return info.State.Running || info.State.Paused || info.State.Restarting;
}

export function toInstance(info: ContainerInspectInfo): Instance {
  const serverId = info.Config.Labels[label.server] ?? '';
  const generation = Number(info.Config.Labels[label.generation] ?? 0);
  if (isLive(info)) {
    const startedAt = new Date(info.State.StartedAt);
    return { serverId, generation, state: 'running', startedAt, isPaused: info.State.Paused };
  }
  if (info.State.Status === 'created') return { serverId, generation, state: 'created' };
  return {
    serverId,
    generation,
    state: 'exited',
    exitCode: info.State.ExitCode,
    outOfMemory: endedOutOfMemory(info),
    finishedAt: new Date(info.State.FinishedAt),
  };
}

/** The engine keeps the flag when only a child ran out of memory days before. */
export function endedOutOfMemory(info: ContainerInspectInfo): boolean {
  return info.State.OOMKilled && info.State.ExitCode !== 0;
}

/** Resolves after the end. */
export async function killContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call(async (docker, abortSignal) => docker.getContainer(id).kill({ signal: 'SIGKILL', abortSignal }));
  } catch (error) {
    const notRunning = [404, 409].includes(statusOf(error) ?? 0) || /is not running/i.test(engineMessage(error));
    if (!notRunning) throw unexpectedError(error);
  }
  try {
    await engine.call(
      async (docker, abortSignal) => docker.getContainer(id).wait({ condition: 'not-running', abortSignal }),
      { timeoutMs: killMs },
    );
  } catch (error) {
    if (statusOf(error) !== 404) throw unexpectedError(error);
  }
}

export async function unpauseContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call(async (docker, abortSignal) => docker.getContainer(id).unpause({ abortSignal }));
  } catch (error) {
    // Another process was faster, or it has ended: 409, or 500 with this text in older engines.
    if ([404, 409].includes(statusOf(error) ?? 0) || /is not (?:paused|running)/i.test(engineMessage(error))) return;
    throw unexpectedError(error);
  }
}

export async function removeContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call(
      async (docker, abortSignal) => docker.getContainer(id).remove({ force: true, v: true, abortSignal }),
      {
        timeoutMs: removeMs,
      },
    );
  } catch (error) {
    if (statusOf(error) === 404) return;
    if (statusOf(error) !== 409) throw unexpectedError(error);
    await waitUntilGone(engine, id); // another call is removing it
  }
}

async function waitUntilGone(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call(
      async (docker, abortSignal) => docker.getContainer(id).wait({ condition: 'removed', abortSignal }),
      {
        timeoutMs: removeMs,
      },
    );
  } catch (error) {
    if (statusOf(error) !== 404) throw unexpectedError(error);
  }
}

const noSuchAddress = /cannot assign requested address/i;
const portTaken = /port is already allocated|address already in use|ports are not available/i;

/** Throws PORT_OCCUPIED, ADDRESS_NOT_ON_NODE, START_FAILED (reason), NODE_UNREACHABLE. */
export async function startContainer(engine: Engine, id: string, timeoutMs: number): Promise<void> {
  try {
    await engine.call(async (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }), { timeoutMs });
  } catch (error) {
    const status = statusOf(error);
    if (status === 304) return; // it runs already
    if (status === null) throw error;
    const reason = engineMessage(error);
    if (status === 404 && /no such container/i.test(reason)) {
      throw runtimeError('INSTANCE_NOT_FOUND', 'there is no such instance on the node', {}, { cause: error });
    }
    if (noSuchAddress.test(reason)) throw addressNotOnNode(portOfRefusal(reason)?.ip ?? '', error);
    const port = portTaken.test(reason) ? portOfRefusal(reason) : null;
    if (port) throw portOccupied(port, 'another program', error);
    if (portTaken.test(reason))
      throw runtimeError('PORT_OCCUPIED', 'a port is in use on the node', { reason }, { cause: error });
    throw runtimeError('START_FAILED', 'the container could not be started', { reason }, { cause: error });
  }
}
