import { ensureBusybox, needEngine } from './engine.js';
import { addNode } from './nodes.js';
import { sharedStack } from './shared-stack.js';
import type { SharedStack } from './stack.js';

/** Runtimes for tests that must behave alike. */
export const runtimes = ['process', 'docker'] as const;

interface RuntimePlace {
  readonly test: SharedStack;
  /** The fields of a new server on the node of this runtime. */
  readonly place: () => Promise<{ readonly node_id: string; readonly allocation_id: string }>;
}

/** In `before` below `shared/`: the shared installation with a node for games of this runtime. */
export async function sharedStackOn(runtime: (typeof runtimes)[number], context: Mocha.Context): Promise<RuntimePlace> {
  if (runtime === 'docker') {
    await needEngine(context);
    await ensureBusybox();
  }
  const test = await sharedStack();
  const { data: nodes } = await test.admin.get('/admin/nodes');
  const local = nodes.find(({ name }) => name === 'local');
  if (!local) throw new Error('there is no local node');
  const files = { address: test.stack.grpc.files, dataRoot: local.data_root };
  const engine = { runtime, engine: { url: 'unix:///var/run/docker.sock' } };
  const id = runtime === 'process' ? local.id : (await addNode(test, 'engine', engine, '27000-27009', files)).id;
  const place = async () => {
    const of = { params: { id }, query: { per_page: 100 } };
    const { data } = await test.admin.get('/admin/nodes/{id}/allocations', of);
    const free = data.find(({ assigned }) => !assigned);
    if (!free) throw new Error(`no free allocation on the node for ${runtime}`);
    return { node_id: id, allocation_id: free.id };
  };
  return { test, place };
}
