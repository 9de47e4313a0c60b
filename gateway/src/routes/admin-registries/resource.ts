import { CreateRegistryRequest, Registry, Registry_Kind, UpdateRegistryRequest } from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';
import type { SentNames } from '../../declaration/sent-names.js';

const secret = z.string().min(1).max(16_384);
const password = secret.describe('with `username`');
const auth = z.string().min(1).max(24_000).describe('instead of `username` and `password`: base64 of `user:password`');
const identityToken = secret.describe('instead of `password`; `username` may stand beside it');
const dockerName = secret.describe('instead of `identity_token`: its name in the file of `docker login`');

export const registry = resource(Registry, 'Registry', {
  id: is.uuid('id'),
  host: is.text('host', 'as image references name it; docker.io for Docker Hub').settable(
    z
      .string()
      .trim()
      .min(1)
      .max(255)
      .meta({ examples: ['ghcr.io'] }),
  ),
  egg_id: is.uuidOrNull('eggId', 'null: for all eggs without one of their own').settable(z.uuid().nullable(), null),
  kind: is.word('kind', Registry_Kind, { about: 'of the stored secret' }),
  username: is.text('username', 'may be empty with an identity token').optional(z.string().max(255)),
  password: is.writeOnly('password', password, password.optional()),
  auth: is.writeOnly('auth', auth, auth.optional()),
  identity_token: is.writeOnly('identityToken', identityToken, identityToken.optional()),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

const twoNames = {
  path: ['identitytoken'],
  message: 'cannot be given with identity_token',
  params: { reason: 'conflicting' },
  when: always,
};
const hasOneName = (body: TokenNames) => body.identity_token === undefined || body.identitytoken === undefined;

interface TokenNames {
  readonly identity_token?: string | undefined;
  readonly identitytoken?: string | undefined;
}

export const createRegistryBody = registry.createBody
  .extend({ identitytoken: dockerName.optional() })
  .refine(hasOneName, twoNames);

export const updateRegistryBody = registry.updateBody
  .extend({ identitytoken: dockerName.optional() })
  .refine(hasOneName, twoNames);

export function registryNames({ identitytoken }: TokenNames): SentNames {
  return identitytoken === undefined ? {} : { identity_token: 'identitytoken' };
}

export function createRegistryRequest({
  identitytoken,
  ...body
}: z.output<typeof createRegistryBody>): CreateRegistryRequest {
  return registry.read(CreateRegistryRequest, { ...body, identity_token: body.identity_token ?? identitytoken });
}

export function updateRegistryRequest(
  registryId: string,
  { identitytoken, ...body }: z.output<typeof updateRegistryBody>,
): UpdateRegistryRequest {
  const named = { ...body, identity_token: body.identity_token ?? identitytoken };
  return registry.read(UpdateRegistryRequest, named, { registryId });
}
