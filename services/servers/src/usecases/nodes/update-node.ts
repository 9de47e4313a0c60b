import { isDeepStrictEqual } from 'node:util';
import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { checkNode } from '../../domain/nodes/check-node.js';
import {
  type Engine,
  isKeySealed,
  mergeEngine,
  type NodeFields,
  type ObservedNode,
  withoutKeys,
} from '../../domain/nodes/node.js';
import { copyNodeName } from '../../nodes/copy-node-name.js';
import { identifyMachine } from './identify-machine.js';
import { getNode, loadNode } from './get-node.js';

/** Absent fields and engine keys stay. Throws NODE_NOT_FOUND, INVALID_FIELDS, NODE_NAME_TAKEN, NODE_EXISTS. */
export async function updateNode(
  context: Pick<ServersContext, 'stores' | 'clock' | 'nodePolicy' | 'runtimes' | 'files' | 'log'>,
  nodeId: string,
  fields: Partial<NodeFields>,
): Promise<ObservedNode> {
  const { stores, clock, nodePolicy } = context;
  const before = await loadNode(stores, nodeId);
  const { engine: given, ...others } = fields;
  const engine = given && changedEngine(before.engine, given);
  const changes = { ...others, ...(engine && { engine }) };
  const after = { ...before, ...changes };
  // Stored keys were checked when they were set.
  checkNode({ ...after, engine: engine ?? withoutKeys(before.engine) }, nodePolicy);
  const isElsewhere = after.engine.url !== before.engine.url || after.filesAddress !== before.filesAddress;
  const machine = isElsewhere ? await identifyMachine(context, after) : undefined;
  await stores.nodes.update(nodeId, changes, clock(), machine);
  if (changes.name !== undefined) await copyNodeName(stores, nodeId);
  return getNode({ stores, clock }, nodeId);
}

/** Undefined: unchanged. Throws INVALID_FIELDS where a new address needs a stored key that does not open. */
function changedEngine(before: Engine, given: Engine): Engine | undefined {
  const engine = mergeEngine(before, given);
  if (isDeepStrictEqual(engine, before)) return undefined;
  if (isKeySealed(before) && engine.tlsKey === before.tlsKey) {
    const message = 'has a key that no key of ENCRYPTION_KEYS opens: send ca, cert and key anew';
    throw invalidFields({ 'engine.tls': [fieldProblem('required', message)] });
  }
  return engine;
}
