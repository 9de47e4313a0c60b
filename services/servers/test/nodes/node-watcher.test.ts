import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { NodeHealth } from '../../src/domain/nodes/node.js';
import { NodeWatcher } from '../../src/nodes/node-watcher.js';
import { createAttempts } from '../support/attempts.js';

const node = { id: 'node-1', dataRootId: 'root', health: { lastSeenAt: null } };

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** An engine whose `watch` fails once `cut` opens; the database writes health by `write`. */
function watch({ attach, write }: { attach?: () => Promise<void>; write?: (health: NodeHealth) => Promise<void> }) {
  const cut = gate();
  const written: boolean[] = [];
  const next = async () => {
    await cut.passed;
    throw new Error('the engine is gone');
  };
  const runtime = {
    list: async () => [],
    startId: async () => '',
    ping: async () => undefined,
    watch: () => ({ [Symbol.asyncIterator]: () => ({ next }) }),
  };
  const deps = {
    ...createAttempts(),
    clock: () => new Date(),
    files: { dataRootId: async () => node.dataRootId },
    leftInstances: { among: async () => [] },
    hub: { attach: attach ?? (async () => undefined) },
    nodes: {
      setHealth: async (_nodeId: string, health: NodeHealth) => {
        await write?.(health);
        written.push(health.isReachable);
      },
    },
    runtimes: { of: () => runtime },
    servers: { activeStatesOfNodes: async () => [], nodesOf: async () => new Map() },
  };
  const watcher = new NodeWatcher(deps as never, {} as never, node as never, 60_000);
  return { watcher, cut, written };
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
