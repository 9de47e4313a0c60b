import { randomUUID } from 'node:crypto';
import { ListUsersRequest } from '@panel/protos/identity';
import type { UserActor } from '@panel/rpc';
import { expect } from 'chai';
import { adminRole } from '../../src/domain/system-roles.js';
import { addUser, type Harness, session, startHarness } from './harness.js';

type Row = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Filter and sort fields of lists; all others may be lost. */
const retained = ['userId', 'roleId', 'createdAt', 'epoch', 'expiresAt', 'keyId', 'lastUsedAt', 'slot'];

describe('damaged record', () => {
  let harness: Harness;
  let admin: UserActor;
  before(async () => {
    harness = await startHarness();
    const { email } = await addUser(harness, { roleId: adminRole.id });
    ({ actor: admin } = await session(harness, email));
    const key = { description: 'a key', allowedIps: [], permissions: undefined, expireTime: undefined };
    await harness.account.createApiKey(key, harness.as(admin));
    const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJtR0QCAQXkFTLGSVnwOT4Pi4wJDYXgoxnwlNgjDnMpL';
    await harness.account.createSshKey({ name: 'a key', publicKey }, harness.as(admin));
  });
  after(async () => harness.stop());

  const page = { page: 1, perPage: 100, sort: [], search: '' };
  const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
  const lists: Readonly<Record<string, () => Promise<string[]>>> = {
    users: async () =>
      idsOf((await harness.user.listUsers(ListUsersRequest.create({ page }), harness.as(admin))).users),
    roles: async () => idsOf((await harness.role.listRoles({ page }, harness.as(admin))).roles),
    sessions: async () => idsOf((await harness.account.listSessions({ page }, harness.as(admin))).sessions),
    api_keys: async () => idsOf((await harness.account.listApiKeys({ page }, harness.as(admin))).apiKeys),
    ssh_keys: async () => idsOf((await harness.account.listSshKeys({ page }, harness.as(admin))).sshKeys),
  };
  for (const [collection, list] of Object.entries(lists)) {
    it(`lists all other records of ${collection} beside a damaged one`, async () => {
      const rows = harness.mongo.collection<Row>(collection);
      const good = await list();
      const row = (await rows.findOne({ _id: good[0] })) ?? expect.fail('no record');
      const found = Object.fromEntries(Object.entries(row).filter(([name]) => retained.includes(name)));
      const damaged = { ...found, ...('slot' in found && { slot: 49 }), _id: randomUUID() };
      await rows.insertOne(damaged);
      expect(await list()).to.include.members(good);
      await rows.deleteOne({ _id: damaged._id });
    });
  }
});
