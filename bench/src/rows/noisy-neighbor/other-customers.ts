import type { LoadRequest } from '../../load/job.js';
import type { Population } from '../../installation/population.js';

export const smallFile = { name: 'server.properties', content: 'max-players=20\n'.repeat(60) };

/** Of all owners at random, as many of each kind. */
export function otherRequests({ servers }: Population): LoadRequest[] {
  const write = { path: `/${smallFile.name}`, content: smallFile.content };
  return servers.flatMap(({ id, token }): LoadRequest[] => {
    const authorization = `Bearer ${token}`;
    const path = `/api/v1/servers/${id}`;
    return [
      { kind: 'detail', path, headers: { authorization } },
      { kind: 'resources', path: `${path}/resources`, headers: { authorization } },
      {
        kind: 'file read',
        path: `${path}/files/contents?path=/${smallFile.name}`,
        headers: { authorization, accept: 'application/octet-stream' },
      },
      {
        kind: 'file write',
        method: 'PUT',
        path: `${path}/files/write`,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(write),
      },
    ];
  });
}
