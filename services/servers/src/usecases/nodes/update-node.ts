import type { ServersContext } from '../../context.js';
import { checkNode } from '../../domain/nodes/check-node.js';
import { mergeEngine, type NodeFields, type ObservedNode } from '../../domain/nodes/node.js';
import { copyNodeName } from '../../nodes/copy-node-name.js';
import { getNode, loadNode } from './get-node.js';

/** Absent fields and engine keys stay. Throws NODE_NOT_FOUND, INVALID_FIELDS, NODE_NAME_TAKEN. */
export async function updateNode(
  { stores, clock, nodePolicy }: Pick<ServersContext, 'stores' | 'clock' | 'nodePolicy'>,
  nodeId: string,
  fields: Partial<NodeFields>,
): Promise<ObservedNode> {
  const before = await loadNode(stores, nodeId);
  const changes = { ...fields, ...(fields.engine && { engine: mergeEngine(before.engine, fields.engine) }) };
  checkNode({ ...before, ...changes }, nodePolicy);
  await stores.nodes.update(nodeId, changes, clock());
  if (changes.name !== undefined) await copyNodeName(stores, nodeId);
  return getNode({ stores, clock }, nodeId);
}
