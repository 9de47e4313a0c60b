import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { NodeHealth } from '../../src/domain/nodes/node.js';
import { NodeWatcher } from '../../src/nodes/node-watcher.js';
import { runtimeError } from '@panel/runtime';
import { createAttempts } from '../support/attempts.js';

const node = { id: 'node-1', runtime: 'process', dataRootId: 'root', health: { lastSeenAt: null } };

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

interface WatchOptions {
  readonly attach?: () => Promise<void>;
  readonly write?: (health: NodeHealth) => Promise<void>;
  readonly engineAheadMs?: number;
  /** Its files have changes that the database does not know. */
  readonly isOlder?: () => boolean;
}

/** An engine whose `watch` fails once `cut` opens; the database writes health by `write`. */
function watch({ attach, write, engineAheadMs = 0, isOlder = () => false }: WatchOptions) {
  const cut = gate();
  const written: boolean[] = [];
  const removed: string[] = [];
  const next = async () => {
    await cut.passed;
    throw new Error('the engine is gone');
  };
  const runtime = {
    list: async () => [{ serverId: 'left', generation: 1, state: 'exited', isForeign: false }],
    remove: async (serverId: string) => void removed.push(serverId),
    startId: async () => '',
    systemTime: async () => new Date(Date.now() + engineAheadMs),
    ping: async () => undefined,
    machine: async () => ({ engineId: '', hostName: '' }),
    watch: () => ({ [Symbol.asyncIterator]: () => ({ next }) }),
  };
  const deps = {
    ...createAttempts(),
    clock: () => new Date(),
    files: {
      addressOf: () => '127.0.0.1:1',
      dataRoot: async () => ({ dataRootId: node.dataRootId, epoch: 0, hostName: '', addresses: [] }),
      assertUsable: async () => {
        if (isOlder()) throw runtimeError('NODE_UNREACHABLE', 'older', { problem: 'data_root_newer' });
      },
      clockOffsetMs: () => null,
    },
    leftInstances: { among: async (_nodeId: string, ids: readonly string[]) => ids, remove: async () => undefined },
    hub: { attach: attach ?? (async () => undefined) },
    nodes: {
      bindMachine: async () => undefined,
      setHealth: async (_nodeId: string, health: NodeHealth) => {
        await write?.(health);
        written.push(health.isReachable);
      },
    },
    runtimes: { of: () => runtime },
    servers: { activeStatesOfNodes: async () => [], nodesOf: async () => new Map() },
  };
  const watcher = new NodeWatcher(deps as never, {} as never, node as never, 60_000);
  return { watcher, cut, written, removed };
}

describe('node watcher', () => {
  it('keeps a node offline when an inspection ends that began before the engine was lost', async () => {
    const inspection = gate();
    let isHeld = false;
    const attach = async () => {
      isHeld = true;
      await inspection.passed;
    };
    const { watcher, cut, written } = watch({ attach });
    await waitUntil('the inspection', () => isHeld);
    await waitUntil('the node to be online', () => watcher.isReachable);
    cut.open();
    await waitUntil('the node to be offline', () => !watcher.isReachable);
    const ended = watcher.reconcile();
    inspection.open();
    await ended;
    expect(watcher.isReachable).to.equal(false);
    expect(written).to.deep.equal([true, false]);
    await watcher.stop();
  });

  it('removes no instance while the database may be older than the files, and does once it is not', async () => {
    let isOlder = true;
    const { watcher, removed } = watch({ isOlder: () => isOlder });
    await watcher.checked;
    await watcher.reconcile();
    await watcher.reconcile();
    expect(removed).to.deep.equal([]);
    expect(watcher.isReachable).to.equal(false);
    isOlder = false;
    await waitUntil('the instance to be removed', () => removed.includes('left'), 30_000);
    await watcher.stop();
  });

  it('says that the clock of the engine is another one than ours', async () => {
    const seen: NodeHealth[] = [];
    const write = async (health: NodeHealth) => void seen.push(health);
    const { watcher } = watch({ write, engineAheadMs: 3_600_000 });
    await waitUntil('the record', () => seen.some(({ problem }) => problem === 'clock_differs'), 30_000);
    const health = seen.at(-1);
    expect(health?.reason).to.match(/^the clock of its engine is (3599|3600) s ahead of the panel's$/);
    expect(health?.engineClockMs).to.be.within(3_590_000, 3_600_000);
    expect(health?.isReachable).to.equal(true);
    await watcher.stop();
  });

  it('records contacts with the engine in their order', async () => {
    const slow = gate();
    const write = async ({ isReachable }: NodeHealth) => (isReachable ? slow.passed : undefined);
    const { watcher, cut, written } = watch({ write });
    await waitUntil('the node to be online', () => watcher.isReachable);
    cut.open();
    await waitUntil('the node to be offline', () => !watcher.isReachable);
    slow.open();
    await waitUntil('both records', () => written.length === 2);
    expect(written).to.deep.equal([true, false]);
    await watcher.stop();
  });
});
