import { type PageQuery, parsePage } from '@panel/kit/mongo';
import { PageRequest } from '@panel/protos/common';

export function readAllocationPage(page: PageRequest | undefined): PageQuery {
  const sort = page?.sort ?? [];
  const inOrder = { ...PageRequest.create(page), sort: sort.length > 0 ? sort : ['ip', 'port'] };
  return parsePage(inOrder, { created_at: 'createdAt', port: 'port', ip: 'ip' });
}
