import { z } from 'zod';
import { readJson, writePrivateJson } from '../launch/private-file.js';
import type { LogLine } from '@panel/programs';
import { findNode, type ServersClients } from './demo.js';

const markerSchema = z.object({ node_id: z.string() });

/**
 * Undefined when nothing was seeded, null when the marker is damaged and the node is gone. A damaged marker is
 * rewritten without a new seed, because the operator may have removed objects.
 */
export async function readMarker(
  clients: Pick<ServersClients, 'nodes'>,
  marker: string,
  log: LogLine,
): Promise<string | null | undefined> {
  const content = readJson(marker);
  if (content === undefined) return undefined;
  const parsed = markerSchema.safeParse(content);
  if (parsed.success) return parsed.data.node_id;
  const node = await findNode(clients);
  if (!node) return null;
  writeMarker(marker, node.id);
  log(`${marker} was damaged and is written anew`);
  return node.id;
}

export function writeMarker(marker: string, nodeId: string): void {
  writePrivateJson(marker, { node_id: nodeId });
}
