import type { NodeStore } from '../models/nodes/node.js';
import type { NodeFiles } from './files.js';

interface OtherFilesAddressDeps {
  readonly stores: { readonly nodes: Pick<NodeStore, 'all'> };
  readonly files: Pick<NodeFiles, 'addressOf' | 'isAllowed'>;
}

/** Preferably of an online node; null: none. */
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
