import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { readJson, writeJson } from '@panel/kit/process';
import { z } from 'zod';

const schema = z.object({ nodeId: z.uuid() });

/** New at the first start, or for a damaged file. */
export async function loadNodeId(dataRoot: string): Promise<string> {
  const file = path.join(dataRoot, 'node.json');
  const known = await readJson(file, schema);
  if (known) return known.nodeId;
  const nodeId = randomUUID();
  await writeJson(file, { nodeId });
  return nodeId;
}
