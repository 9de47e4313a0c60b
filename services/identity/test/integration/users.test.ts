import type { Stored } from '@panel/kit/mongo';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { adminRole, moderatorRole, systemRoles, userRole } from '../../src/domain/system-roles.js';
import type { RoleRecord } from '../../src/domain/role.js';
import {
  addUser,
  type Harness,
  password,
  refusal,
  session,
  signIn,
  startHarness,
  testEnvironment,
  times,
  visitor,
} from './harness.js';
import { testMongoUrl } from '@panel/testing';

describe('EnsureFirstAdmin', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(async () => harness.stop());

  const boss = { email: 'Boss@Example.org', username: 'boss', password };

  it('creates the first admin once', async () => {
    const { created, user } = await harness.user.ensureFirstAdmin(boss);
    expect(created).to.be.true;
    expect(user).to.deep.include({ email: 'boss@example.org', role: { id: adminRole.id, name: 'admin' } });
    await signIn(harness, boss.email);
    const again = await harness.user.ensureFirstAdmin({ email: 'other@example.org', username: 'other', password });
    expect(again.created).to.be.false;
    expect(again.user?.id).to.equal(user?.id);
  });

  it('creates one admin for 20 concurrent launchers', async () => {
    const answers = await Promise.all(
      times(20, async (index) =>
        harness.user.ensureFirstAdmin({
          email: `boss-${index % 10}@example.org`,
          username: `boss-${index % 10}`,
          password,
        }),
      ),
    );
    expect(answers.filter(({ created }) => created)).to.have.lengthOf(1);
    expect(new Set(answers.map(({ user }) => user?.id)).size).to.equal(1);
    expect(await harness.mongo.collection('users').countDocuments()).to.equal(1);
  });

  it('does not take over an existing account', async () => {
    await addUser(harness, { email: 'boss@example.org' });
    expect(await refusal(harness.user.ensureFirstAdmin(boss))).to.equal('EMAIL_TAKEN');
  });

  it('refuses an unfit password, address or name', async () => {
    const bad = [{ password: 'short' }, { email: 'boss' }, { username: 'a b' }, { password: '' }];
    for (const changes of bad)
      expect(await refusal(harness.user.ensureFirstAdmin({ ...boss, ...changes }))).to.equal('INVALID_FIELDS');
  });

  it('refuses callers that are not services', async () => {
    const { email } = await addUser(harness);
    const { actor } = await session(harness, email);
    expect(await refusal(harness.user.ensureFirstAdmin(boss, harness.as(actor)))).to.equal('SERVICE_REQUIRED');
    expect(await refusal(harness.user.ensureFirstAdmin(boss, harness.as(visitor)))).to.equal('SERVICE_REQUIRED');
  });
});

describe('users', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness();
  });
  after(async () => harness.stop());

  it('shows users their own account without staff fields', async () => {
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    const { user } = await harness.account.getAccount({}, harness.as(actor));
    expect(user).to.deep.include({ id, email, language: 'en', role: { id: userRole.id, name: 'user' } });
    expect(user?.lastLoginTime).to.be.undefined;
    expect(JSON.stringify(user)).to.not.match(/argon2|hash|epoch/i);
  });

  it('shows users to services and permitted staff only', async () => {
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    const moderator = (await session(harness, (await addUser(harness, { roleId: moderatorRole.id })).email)).actor;
    const get = async (userId: string, as?: object) => harness.user.getUser({ userId }, as);
    expect((await get(id)).user?.email).to.equal(email);
    expect((await get(id, harness.as(moderator))).user?.email).to.equal(email);
    expect(await refusal(get(id, harness.as(actor)))).to.equal('PERMISSION_MISSING');
    expect(await refusal(get('nobody', harness.as(actor)))).to.equal('PERMISSION_MISSING');
    expect(await refusal(get('nobody', harness.as(moderator)))).to.equal('USER_NOT_FOUND');
  });

  it('ends the sessions of a deleted user', async () => {
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    await harness.mongo.collection<{ _id: string }>('users').deleteOne({ _id: id });
    expect(await refusal(harness.account.getAccount({}, harness.as(actor)))).to.equal('INVALID_TOKEN');
  });

  it('refuses a taken address or name in any spelling', async () => {
    const tag = randomUUID();
    await addUser(harness, { email: `twin-${tag}@example.org` });
    const refused = await addUser(harness, { email: `twin-${tag}@example.org` }).then(
      () => null,
      (error: { reason?: string }) => error.reason,
    );
    expect(refused).to.equal('EMAIL_TAKEN');
  });
});

describe('system roles', () => {
  it('creates each system role once when several replicas start at once', async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    const replicas = await Promise.all(times(4, async () => startHarness({ env })));
    try {
      const roles = replicas[0]?.mongo.collection<Stored<RoleRecord>>('roles') ?? expect.fail('no replica');
      const stored = await roles.find().sort({ _id: 1 }).toArray();
      expect(
        stored.map(({ _id, name, permissions, rateLimitMultiplier, isSystem }) => ({
          _id,
          name,
          permissions,
          rateLimitMultiplier,
          isSystem,
        })),
      ).to.deep.equal(
        systemRoles.map(({ id, name, permissions, rateLimitMultiplier }) => ({
          _id: id,
          name,
          permissions: [...permissions],
          rateLimitMultiplier,
          isSystem: true,
        })),
      );
      await roles.updateOne({ _id: userRole.id }, { $set: { permissions: ['*'] } });
      await (await startHarness({ env })).stop();
      expect((await roles.findOne({ _id: userRole.id }))?.permissions).to.be.empty;
    } finally {
      await Promise.all(replicas.map(async (replica) => replica.stop()));
    }
  });
});
