import { raceAbort } from '@panel/kit/async';
import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkNode } from '../../domain/nodes/check-node.js';
import type { NodeFields, ObservedNode } from '../../domain/nodes/node.js';
import { fail } from '../../reasons.js';
import { getNode } from './get-node.js';
import { identifyMachine } from './identify-machine.js';

type CreateNodeDeps = Pick<
  ServersContext,
  'stores' | 'clock' | 'nodeLeases' | 'nodePolicy' | 'runtimes' | 'files' | 'log'
>;

/** Of the whole creation, below a caller's 10 s. An engine that hangs is checked later: until then it gets no servers. */
const patienceMs = 6_000;

/** Watches the node at once, so that it can be used. Idempotent by `idempotencyId`. Throws INVALID_FIELDS, NODE_NAME_TAKEN, NODE_EXISTS. */
export async function createNode(
  context: CreateNodeDeps,
  fields: NodeFields,
  idempotencyId?: string,
): Promise<ObservedNode> {
  const { stores, clock, nodeLeases, nodePolicy } = context;
  const patience = AbortSignal.timeout(patienceMs);
  checkNode(fields, nodePolicy);
  const { object: node } = await createOnce(idempotencyId, {
    find: async (id) => stores.nodes.get(id),
    create: async (id) => {
      await stores.nodes.create(id, fields, clock(), await identifyMachine(context, fields));
      const created = await stores.nodes.get(id);
      if (!created) throw fail('NODE_NOT_FOUND', 'the node was deleted at once', { node_id: id });
      return created;
    },
  });
  await nodeLeases()?.take(node);
  const watcher = nodeLeases()?.watcher(node.id);
  if (watcher) await raceAbort(watcher.checked, patience).catch(() => undefined);
  return getNode(context, node.id);
}
