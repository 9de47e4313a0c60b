import type { Instance } from '@panel/runtime';
import { expect } from 'chai';
import type { Power, PowerState } from '../../src/domain/servers/server.js';
import { reconcileNode } from '../../src/nodes/reconcile.js';
import { createAttempts } from '../support/attempts.js';
import { aServer } from '../support/server-fixture.js';

const node = { id: 'node-1' } as Parameters<typeof reconcileNode>[2];
const stateOf = (id: string, state: PowerState) => {
  const server = aServer();
  const power: Power = { ...server.power, state, lease: null, generation: 3 };
  return { ...server, id, nodeId: node.id, power };
};
const running = (serverId: string, generation = 3) =>
  ({ serverId, generation, state: 'running', isPaused: false }) as unknown as Instance;
const exited = (serverId: string) =>
  ({ serverId, generation: 3, state: 'exited', exitCode: 0, outOfMemory: false }) as unknown as Instance;

/** Runs a reconciliation and records its effects. */
function setUp(servers: readonly ReturnType<typeof stateOf>[], instances: readonly Instance[], mayStop = true) {
  const done: string[] = [];
  const found = [...instances];
  /** Servers that have changed since they were listed. */
  const now = new Map<string, ReturnType<typeof stateOf>>();
  const attempts = createAttempts();
  const store = {
    activeStatesOfNodes: async () => servers.filter(({ power }) => power.state !== 'offline'),
    states: async (ids: readonly string[]) => {
      done.push(`read ${ids.join()}`);
      return servers.filter(({ id }) => ids.includes(id));
    },
    nodesOf: async (ids: readonly string[]) =>
      new Map(servers.flatMap(({ id, nodeId }) => (ids.includes(id) ? [[id, nodeId]] : []))),
    get: async (id: string) => now.get(id) ?? servers.find((server) => server.id === id) ?? null,
    power: { adopt: async ({ id }: { id: string }) => done.push(`adopt ${id}`) },
  };
  const deps = {
    servers: store,
    hub: { attach: async () => undefined, find: () => undefined },
    clock: () => new Date(),
    log: attempts.log,
    attempt: attempts.attempt,
  };
  const handle = async (id: string) => {
    if (id === 'failing') throw new Error('this server is damaged');
    done.push(`ended ${id}`);
  };
  const forceStop = async ({ id }: { id: string }, _graceMs: number, ground: { kind: string }) =>
    done.push(`stop ${id}, ${ground.kind}`);
  const power = { exits: { handle }, graceMsOf: () => 1_000, forceStop };
  const runtime = {
    list: async () => [...instances],
    inspect: async (id: string) => found.find(({ serverId }) => serverId === id) ?? null,
    start: async (id: string) => done.push(`start ${id}`),
  };
  const look = async () =>
    reconcileNode(deps as never, power as never, node, runtime as never, {
      wasUnreachable: false,
      mayStop,
      isDue: () => true,
    });
  return { done, found, now, look, failed: attempts.failed };
}

describe('reconciliation of a node', () => {
  it('reads nothing of servers that are stopped', async () => {
    const { done, look } = setUp([stateOf('a', 'offline'), stateOf('b', 'offline')], [exited('a')]);
    expect(await look()).to.deep.equal({ instances: [exited('a')], unknown: [] });
    expect(done).to.deep.equal([]);
  });

  it('ends what is gone beside a damaged server, which counts as an item that failed', async () => {
    const { done, look, failed } = setUp([stateOf('failing', 'running'), stateOf('b', 'running')], []);
    await look();
    expect(done).to.deep.equal(['ended b']);
    expect(failed).to.deep.equal(['reconcile-nodes failing']);
  });

  it('leaves the start of a dead worker to the next one', async () => {
    const expired = { id: 'x', action: 'start' as const, owner: 'dead', expiresAt: new Date(0) };
    const waiting = stateOf('a', 'starting');
    const { done, look } = setUp([{ ...waiting, power: { ...waiting.power, lease: expired } }, waiting], []);
    await look();
    expect(done).to.deep.equal(['ended a']);
  });

  it('ends the start of a game of a stopped server and adopts it, unless it has ended since', async () => {
    const { done, found, look } = setUp(
      [stateOf('a', 'offline'), stateOf('b', 'offline')],
      [running('a'), running('b')],
    );
    found.splice(1, 1, exited('b'));
    await look();
    expect(done.filter((one) => !one.startsWith('read'))).to.deep.equal(['start a', 'adopt a']);
  });

  it('goes on with a stop that has no worker, unless the next run has begun since', async () => {
    const { done, now, look } = setUp(
      [stateOf('a', 'stopping'), stateOf('b', 'stopping')],
      [running('a'), running('b', 4)],
    );
    const next = stateOf('b', 'running');
    now.set('b', { ...next, power: { ...next.power, generation: 4 } });
    await look();
    expect(done.filter((one) => one.startsWith('stop'))).to.deep.equal(['stop a, stopping']);
  });

  it('stops nothing while the records may be older than the files there', async () => {
    const suspended = { ...stateOf('b', 'running'), suspended: true };
    const { done, look } = setUp([stateOf('a', 'stopping'), suspended], [running('a'), running('b')], false);
    await look();
    expect(done).to.deep.equal([]);
  });

  it('reports instances that belong to no server, and leaves those of other nodes alone', async () => {
    const elsewhere = { ...stateOf('c', 'offline'), nodeId: 'node-2' };
    const { done, look } = setUp([elsewhere], [running('c'), running('nobody')]);
    expect(await look()).to.deep.equal({ instances: [], unknown: [running('nobody')] });
    expect(done).to.deep.equal([]);
  });
});
