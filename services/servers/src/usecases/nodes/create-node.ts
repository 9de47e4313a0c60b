import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkNode } from '../../domain/nodes/check-node.js';
import type { NodeFields, ObservedNode } from '../../domain/nodes/node.js';
import { fail } from '../../reasons.js';

type CreateNodeDeps = Pick<ServersContext, 'stores' | 'clock' | 'nodeLeases' | 'nodePolicy'>;

/** Watches the node at once. Idempotent by `idempotencyId`. Throws INVALID_FIELDS, NODE_NAME_TAKEN. */
export async function createNode(
  { stores, clock, nodeLeases, nodePolicy }: CreateNodeDeps,
  fields: NodeFields,
  idempotencyId?: string,
): Promise<ObservedNode> {
  checkNode(fields, nodePolicy);
  const { object: node } = await createOnce(idempotencyId, {
    find: async (id) => stores.nodes.get(id),
    create: async (id) => {
      await stores.nodes.create(id, fields, clock());
      const created = await stores.nodes.get(id);
      if (!created) throw fail('NODE_NOT_FOUND', 'the node was deleted at once', { node_id: id });
      return created;
    },
  });
  await nodeLeases()?.take(node);
  return { ...node, observedAt: clock() };
}
