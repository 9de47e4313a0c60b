import { runtimeError } from '@panel/runtime';
import { expect } from 'chai';
import { runCleanup } from '../../src/operations/pending-cleanups.js';
import { aServer } from '../support/server-fixture.js';

describe('a cleanup on a node', () => {
  it('removes no instance while the database may be older than the files there', async () => {
    const done: string[] = [];
    const node = (id: string) => ({ id, runtime: 'process' });
    const cleanup = { kind: 'lost', nodeId: 'left', copyId: 'c', operationId: 'o', generation: 9, retryAt: new Date() };
    const files = {
      requireUsable: async ({ id }: { id: string }) => {
        throw runtimeError('NODE_UNREACHABLE', `${id} waits for staff`, { problem: 'data_root_newer' });
      },
    };
    const runtime = { inspect: async () => ({ generation: 1 }), remove: async () => done.push('removed') };
    const deps = {
      nodes: { get: async (id: string) => node(id), release: async () => undefined },
      allocations: { releaseOn: async () => undefined },
      files,
      runtimes: { of: () => runtime },
      failpoint: () => undefined,
    };
    const ran = runCleanup(deps as never, aServer(), cleanup as never, async () => undefined);
    expect(await ran.then(String, ({ reason }: { reason: string }) => reason)).to.equal('NODE_UNREACHABLE');
    expect(done).to.deep.equal([]);
  });
});
