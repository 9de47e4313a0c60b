import type { PanelClient } from '@panel/client';
import { joinPath } from './paths.js';

export interface Move {
  readonly serverId: string;
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
}

/** Throws ApiError. */
export async function moveEntries(client: PanelClient, { serverId, from, to, names }: Move): Promise<void> {
  const files = names.map((name) => ({ from: joinPath(from, name), to: joinPath(to, name) }));
  await client.post('/servers/{id}/files/rename', { params: { id: serverId }, body: { root: '/', files } });
}
