import type { NodeStore } from '../models/nodes/node.js';
import type { NodeFiles } from './files.js';

interface OtherFilesAddressDeps {
  readonly stores: { readonly nodes: Pick<NodeStore, 'all'> };
  readonly files: Pick<NodeFiles, 'addressOf' | 'isAllowed'>;
}

/** A files service besides the one that does not answer, of a node in operation if there is one; null: there is no other. */
export async function otherFilesAddress(
  { stores, files }: OtherFilesAddressDeps,
  unreachableAddress: string,
): Promise<string | null> {
  const nodes = await stores.nodes.all();
  const byHealth = nodes.toSorted((a, b) => Number(b.health.isReachable) - Number(a.health.isReachable));
  for (const node of [...byHealth, { filesAddress: '' }]) {
    if (files.addressOf(node) !== unreachableAddress && (await files.isAllowed(node))) return files.addressOf(node);
  }
  return null;
}
