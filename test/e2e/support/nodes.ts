import type { OptionsOf } from '@panel/client';
import type { Stack } from '@panel/stack';
import type { SharedStack } from './stack.js';

type NewNode = OptionsOf<'POST /admin/nodes'>['body'];

export interface Place {
  readonly id: string;
  readonly dataRoot: string;
}

/** Creates a node, by default for a stack's second files service, with allocations on 127.0.0.1. */
export async function addNode(
  { admin, stack }: SharedStack,
  name: string,
  fields: Pick<NewNode, 'runtime' | 'engine'>,
  ports: string,
  files: Pick<Stack['moreFiles'][number], 'address' | 'dataRoot'> | undefined = stack.moreFiles[0],
): Promise<Place> {
  if (!files) throw new Error('the stack has one files service only');
  const { address, dataRoot } = files;
  const room = { memory: 4096, disk: 50_000 };
  const body = { name, fqdn: 'localhost', files_address: address, data_root: dataRoot, ...room, ...fields };
  const { data: node } = await admin.post('/admin/nodes', { body });
  const allocations = { ip: '127.0.0.1', ports: [ports] };
  await admin.post('/admin/nodes/{id}/allocations', { params: { id: node.id }, body: allocations });
  return { id: node.id, dataRoot };
}
