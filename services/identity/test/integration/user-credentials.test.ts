import type { Stored } from '@panel/kit/mongo';
import { randomUUID } from 'node:crypto';
import type { UserActor } from '@panel/rpc';
import type { CreateUserRequest } from '@panel/protos/identity';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { adminRole, userRole } from '../../src/domain/system-roles.js';
import type { UserRecord } from '../../src/domain/user.js';
import {
  actorOf,
  addUser,
  type Harness,
  keyActorOf,
  password,
  refusal,
  session,
  startHarness,
  testEnvironment,
  visitor,
} from './harness.js';

const nobody = '5b1f3d0e-0000-4000-8000-000000000000';

describe('credentials of other users', () => {
  let harness: Harness;
  let admin: UserActor;
  /** All rights on users, some on servers. */
  let clerk: UserActor;
  before(async () => {
    harness = await startHarness({ env: testEnvironment(testMongoUrl('identity')) });
    admin = await staff(adminRole.id);
    const request = {
      name: 'clerk',
      description: '',
      permissions: ['users.*', 'servers.view'],
      rateLimitMultiplier: 1.2,
    };
    const { role } = await harness.role.createRole(request, harness.as(admin));
    clerk = await staff(role?.id ?? '');
  });
  after(() => harness.stop());

  const staff = async (roleId: string): Promise<UserActor> => {
    const { email } = await addUser(harness, { roleId });
    return (await session(harness, email)).actor;
  };
  const create = async () => {
    const name = `new-${randomUUID()}`;
    const empty = { firstName: '', lastName: '', language: '', roleId: '', externalId: '' };
    const request: CreateUserRequest = { email: `${name}@example.org`, username: name, password, ...empty };
    const { user } = await harness.user.createUser(request, harness.as(admin));
    return user ?? expect.fail('no user in the answer');
  };
  const login = async (email: string) => harness.auth.login({ email, password, userAgent: '' }, harness.as(visitor));

  it('lets administrators list and end the credentials of a user', async () => {
    const user = await create();
    const { actor, tokens } = await session(harness, user.email);
    const request = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };
    const { key, apiKey } = await harness.account.createApiKey(request, harness.as(actor));
    const subject = { userId: user.id, page: undefined };
    const keys = await harness.credential.listUserApiKeys(subject, harness.as(admin));
    expect(keys.apiKeys).to.deep.equal([apiKey]);
    const sessions = await harness.credential.listUserSessions(subject, harness.as(admin));
    expect(sessions.sessions.map(({ id, current }) => [id, current])).to.deep.equal([[actor.credentialId, false]]);
    const deletion = { userId: user.id, apiKeyId: apiKey?.id ?? '' };
    await harness.credential.deleteUserApiKey(deletion, harness.as(admin));
    expect(await refusal(keyActorOf(harness, key))).to.equal('INVALID_TOKEN');
    expect(await refusal(harness.credential.deleteUserApiKey(deletion, harness.as(admin)))).to.equal(
      'API_KEY_NOT_FOUND',
    );
    await harness.credential.revokeUserSessions({ userId: user.id }, harness.as(admin));
    await harness.credential.revokeUserSessions({ userId: user.id }, harness.as(admin));
    expect(await refusal(actorOf(harness, tokens.accessToken))).to.equal('INVALID_TOKEN');
    await login(user.email);
  });

  it('does not reach the credentials of a user through another user', async () => {
    const [anna, ben] = [await create(), await create()];
    const { actor } = await session(harness, anna.email);
    const request = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };
    const { apiKey } = await harness.account.createApiKey(request, harness.as(actor));
    const wrong = { userId: ben.id, apiKeyId: apiKey?.id ?? '' };
    expect(await refusal(harness.credential.deleteUserApiKey(wrong, harness.as(admin)))).to.equal('API_KEY_NOT_FOUND');
  });

  it('refuses access to the credentials of users with more permissions', async () => {
    const customer = await staff(userRole.id);
    const calls = (actor: UserActor, userId: string) => [
      async () => harness.credential.listUserApiKeys({ userId, page: undefined }, harness.as(actor)),
      async () => harness.credential.listUserSessions({ userId, page: undefined }, harness.as(actor)),
      async () => harness.credential.revokeUserSessions({ userId }, harness.as(actor)),
      async () => harness.credential.deleteUserApiKey({ userId, apiKeyId: nobody }, harness.as(actor)),
      async () => harness.user.disableUserTwoFactor({ userId }, harness.as(actor)),
    ];
    for (const call of calls(clerk, admin.userId)) expect(await refusal(call())).to.equal('PERMISSION_EXCEEDS_OWN');
    for (const id of [admin.userId, nobody])
      for (const call of calls(customer, id)) expect(await refusal(call())).to.equal('PERMISSION_MISSING');
    for (const call of calls(admin, nobody)) expect(await refusal(call())).to.equal('USER_NOT_FOUND');
  });

  it('lets administrators remove a lost second factor', async () => {
    const user = await create();
    const users = harness.mongo.collection<Stored<UserRecord>>('users');
    const twoFactor = { secret: 'sealed', lastStep: 1, recoveryHashes: [], enabledAt: new Date() };
    await users.updateOne({ _id: user.id }, { $set: { twoFactor } });
    expect((await login(user.email)).result?.$case).to.equal('challenge');
    await harness.user.disableUserTwoFactor({ userId: user.id }, harness.as(clerk));
    await harness.user.disableUserTwoFactor({ userId: user.id }, harness.as(clerk));
    expect((await login(user.email)).result?.$case).to.equal('tokens');
  });
});
