import { AccountServiceService, type SshKey } from '@panel/protos/identity';
import { z } from 'zod';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { isoTime, isoTimeOf, required, time } from '../../declaration/present.js';
import { account, empty, json, list, one, route, type Route } from '../../declaration/route.js';

const sshKey = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    algorithm: z.string().describe('like ssh-ed25519'),
    fingerprint: z.string().describe('as ssh-keygen -l prints it'),
    public_key: z.string().describe('algorithm and key, without a comment'),
    last_used_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'SshKey' });

const createSshKeyBody = z.strictObject({
  name: z.string().trim().min(1).max(100).optional().describe("default: the key's comment"),
  public_key: z.string().min(1).max(12_000).describe('one line, as in a .pub file'),
});

function presentSshKey(key: SshKey): z.input<typeof sshKey> {
  return {
    id: key.id,
    name: key.name,
    algorithm: key.algorithm,
    fingerprint: key.fingerprint,
    public_key: key.publicKey,
    last_used_at: isoTime(key.lastUsedTime),
    created_at: isoTimeOf(key.createTime),
  };
}

export const sshKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account/ssh-keys',
    summary: 'Your SSH keys, for SFTP',
    access: account(AccountServiceService.listSshKeys),
    rate: 'general',
    query: listQuery('created_at', 'name', 'last_used_at'),
    response: list(sshKey),
    handler: async ({ query, services, rpc }) => {
      const { sshKeys, page } = await services.account.listSshKeys({ page: pageRequest(query) }, rpc);
      return { items: sshKeys.map(presentSshKey), page };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/account/ssh-keys',
    summary: 'Register an SSH key; at most 25',
    access: account(AccountServiceService.createSshKey),
    rate: 'general',
    body: json(createSshKeyBody),
    response: one(sshKey),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = { name: body.name ?? '', publicKey: body.public_key };
      return presentSshKey(required((await services.account.createSshKey(request, rpc)).sshKey, 'SSH key'));
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
