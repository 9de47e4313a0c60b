import type { FileOperation } from '@panel/client';
import type { Api } from '../api/api.js';
import { ApiError } from '../api/errors.js';

const pollMs = 2_000;

/** Waits for a packed or extracted archive. Throws ApiError when it fails. */
export async function untilDone(api: Api, serverId: string, begun: FileOperation): Promise<void> {
  let operation = begun;
  while (operation.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    const params = { id: serverId, operation_id: operation.id };
    const read = await api.call(async (client) =>
      client.get('/servers/{id}/files/operations/{operation-id}', { params }),
    );
    operation = read.data;
  }
  if (operation.status === 'completed') return;
  const { reason = 'cancelled', message = 'It was cancelled.' } = operation.error ?? {};
  throw ApiError.from(new Response(null, { status: 409 }), { error: { code: 'failed', message, details: { reason } } });
}
