import { isPowerLeased } from '../domain/power/power-transitions.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { ServerState } from '../models/servers/server.js';
import { exitOf } from '../games/exit-handler.js';
import type { NodeDeps } from './dependencies.js';
import type { PowerService } from '../games/power-service.js';
import type { Instance, ListedInstance, Runtime } from '@panel/runtime';

interface ReconcileOptions {
  readonly wasUnreachable: boolean;
  /** By the records, which may be older than the files there. */
  readonly mayStop: boolean;
  /** The end of the game is handled now. */
  isDue(serverId: string): boolean;
}

type ReconcileDeps = Pick<NodeDeps, 'servers' | 'hub' | 'attempt' | 'clock' | 'log' | 'settings'>;
type Running = Extract<Instance, { state: 'running' }>;

interface RunningGame extends Pick<ReconcileOptions, 'mayStop'> {
  readonly runtime: Runtime;
  readonly state: ServerState;
  readonly instance: Running;
}

/**
 * Matches engine and database: running games are adopted and read, missing ones have ended. A new end is left until the
 * next inspection to the engine's event, which has more details, unless events were missed (`wasUnreachable`). Reads
 * only existing instances and servers that are not stopped. Returns the instances of its servers, and those of no
 * server of this panel, which are left alone.
 */
export async function reconcileNode(
  deps: ReconcileDeps,
  power: PowerService,
  node: GameNode,
  runtime: Runtime,
  look: ReconcileOptions,
): Promise<{ instances: Instance[]; unknown: ListedInstance[] }> {
  const { mayStop } = look;
  // In this order: a run that begins meanwhile is later than the missing one.
  const active = await deps.servers.activeStatesOfNodes([node.id]);
  const instances = await runtime.list();
  const nodes = await nodesOf(deps, instances);
  const own = instances.filter(({ serverId }) => nodes.get(serverId) === node.id);
  const running = own.filter((instance): instance is Running & ListedInstance => instance.state === 'running');
  await deps.hub.attach(runtime, running);
  const byServer = new Map(instances.map((instance) => [instance.serverId, instance]));
  for (const state of active) {
    const instance = byServer.get(state.id) ?? null;
    await deps.attempt('reconcile-nodes', state.id, async () => {
      if (instance?.state === 'running') await reconcileRunning(deps, power, { runtime, state, instance, mayStop });
      else if (!isPowerLeased(state.power, deps.clock()) && !isStartAbandoned(state) && look.isDue(state.id))
        await power.exits.handle(state.id, exitOf(instance, state.power.generation, look.wasUnreachable));
    });
  }
  const activeIds = new Set(active.map(({ id }) => id));
  for (const { serverId } of running) {
    if (activeIds.has(serverId)) continue;
    await deps.attempt('reconcile-nodes', serverId, async () => adopt(deps, power, runtime, { serverId, mayStop }));
  }
  return {
    instances: own,
    // Two nodes can share an engine: the other's servers are not unknown.
    unknown: instances.filter(({ serverId }) => !nodes.has(serverId)),
  };
}

/** Its game has not ended, but has yet to begin: the next worker takes it over. */
function isStartAbandoned({ power: { lease, state } }: ServerState): boolean {
  return state === 'starting' && (lease?.action === 'start' || lease?.action === 'restart');
}

const idsAtOnce = 500;

/** Node by server id; unknown ids are absent. */
async function nodesOf(
  { servers }: Pick<NodeDeps, 'servers'>,
  instances: readonly Instance[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < instances.length; from += idsAtOnce) {
    const ids = instances.slice(from, from + idsAtOnce).map(({ serverId }) => serverId);
    for (const [serverId, nodeId] of await servers.nodesOf(ids)) found.set(serverId, nodeId);
  }
  return found;
}

/** The game of a stopped or starting server runs. It may have ended since the list. */
async function adopt(
  deps: ReconcileDeps,
  power: PowerService,
  runtime: Runtime,
  { serverId, mayStop }: Pick<ReconcileOptions, 'mayStop'> & { readonly serverId: string },
): Promise<void> {
  const [state] = await deps.servers.states([serverId]);
  const instance = await runtime.inspect(serverId);
  if (state && instance?.state === 'running')
    await reconcileRunning(deps, power, { runtime, state, instance, mayStop });
}

export async function reconcileRunning(
  deps: ReconcileDeps,
  power: PowerService,
  { runtime, state, instance, mayStop }: RunningGame,
): Promise<void> {
  if (isPowerLeased(state.power, deps.clock())) return;
  const { power: current } = state;
  if (state.suspended || current.state === 'stopping') {
    if (mayStop) await stopAsked(deps, power, state.id);
    return;
  }
  const ageMs = ageOf(deps, state);
  if (current.state === 'starting' && ageMs > deps.settings.startTimeoutMs) {
    const marked = await deps.servers.power.markRunning(state.id, current.generation);
    if (marked) deps.hub.find(state.id)?.notice(startTimeoutNotice(deps.settings.startTimeoutMs));
  }
  if (current.state === 'offline') {
    // A start that was given up in the middle may lack its end.
    await runtime.start(state.id);
    const adopted = await deps.servers.power.adopt(state, instance.generation);
    if (adopted) deps.log.info({ serverId: state.id }, 'a running game was adopted');
  }
}

/** By the server as it is now: another replica may have stopped this run and started the next. */
async function stopAsked(deps: ReconcileDeps, power: PowerService, serverId: string): Promise<void> {
  const server = await deps.servers.get(serverId);
  if (!server) return;
  const graceMs = power.graceMsOf(server);
  const { generation, state } = server.power;
  if (server.suspended) await power.forceStop(server, graceMs, { kind: 'suspended' });
  else if (state === 'stopping' && ageOf(deps, server) > graceMs)
    await power.forceStop(server, graceMs, { kind: 'stopping', generation });
}

function ageOf({ clock }: Pick<ReconcileDeps, 'clock'>, { power }: Pick<ServerState, 'power'>): number {
  return clock().getTime() - power.changedAt.getTime();
}

/** Explains to the owner why a game without a ready line counts as running. */
function startTimeoutNotice(timeoutMs: number): string {
  const seconds = Math.round(timeoutMs / 1000);
  const time = seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
  return `the server has not reported that it is ready within ${time} (START_TIMEOUT): it counts as running now`;
}
