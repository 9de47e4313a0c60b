import { AccountServiceService } from '@panel/protos/identity';
import { z } from 'zod';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { account, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { sshKey } from './resource.js';

const createSshKeyBody = z.strictObject({
  name: z.string().trim().min(1).max(100).optional().describe("default: the key's comment"),
  public_key: z.string().min(1).max(12_000).describe('one line, as in a .pub file'),
});

export const sshKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account/ssh-keys',
    summary: 'Your SSH keys, for SFTP',
    access: account(AccountServiceService.listSshKeys),
    rate: 'general',
    query: listQuery('created_at', 'name', 'last_used_at'),
    response: list(sshKey.schema),
    handler: async ({ query, services, rpc }) => {
      const { sshKeys, page } = await services.account.listSshKeys({ page: pageRequest(query) }, rpc);
      return { items: sshKeys.map(sshKey.present), page };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/account/ssh-keys',
    summary: 'Register an SSH key; at most 25',
    access: account(AccountServiceService.createSshKey),
    rate: 'general',
    body: json(createSshKeyBody),
    response: one(sshKey.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = { name: body.name ?? '', publicKey: body.public_key };
      return sshKey.present((await services.account.createSshKey(request, rpc)).sshKey);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/account/ssh-keys/{key-id}',
    summary: 'Remove an SSH key; its connections end within seconds',
    access: account(AccountServiceService.deleteSshKey),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.account.deleteSshKey({ sshKeyId: params.key_id }, rpc);
    },
  }),
];
