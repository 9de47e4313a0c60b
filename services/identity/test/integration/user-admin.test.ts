import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import type { Stored } from '@panel/kit/mongo';
import { serviceActor, type UserActor } from '@panel/rpc';
import { type CreateUserRequest, ListUsersRequest, type UpdateUserRequest } from '@panel/protos/identity';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { adminRole, moderatorRole, userRole } from '../../src/domain/system-roles.js';
import type { UserRecord } from '../../src/domain/user.js';
import {
  actorOf,
  addUser,
  type Harness,
  keyActorOf,
  outcomes,
  password,
  refusal,
  session,
  startHarness,
  testEnvironment,
  times,
  visitor,
} from './harness.js';
import { mailedToken, type FakeServices, startFakeServices } from './fake-services.js';

const nobody = '5b1f3d0e-0000-4000-8000-000000000000';

describe('user administration', () => {
  let harness: Harness;
  let fakeServices: FakeServices;
  let admin: UserActor;
  /** All rights on users and roles, some on servers. */
  let clerk: UserActor;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    const addresses = { ADMIN_ADDRESS: fakeServices.address, SERVERS_ADDRESS: fakeServices.address };
    harness = await startHarness({ env: { ...env, ...addresses } });
    admin = await staff(adminRole.id);
    const permissions = ['users.*', 'roles.*', 'servers.view'];
    const request = { name: 'clerk', description: '', permissions, rateLimitMultiplier: 1.2 };
    const { role } = await harness.role.createRole(request, harness.as(admin));
    clerk = await staff(role?.id ?? '');
  });
  beforeEach(() => {
    fakeServices.isUnavailable = false;
    fakeServices.serversOf.clear();
    fakeServices.whileCounting = async () => undefined;
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  const staff = async (roleId: string): Promise<UserActor> => {
    const { email } = await addUser(harness, { roleId });
    return (await session(harness, email)).actor;
  };
  const fresh = (): CreateUserRequest => {
    const name = `new-${randomUUID()}`;
    const empty = { firstName: '', lastName: '', language: '', roleId: '', externalId: '' };
    return { email: `${name}@example.org`, username: name, password, ...empty };
  };
  const create = async (changes: Partial<CreateUserRequest> = {}, actor = admin) => {
    const { user } = await harness.user.createUser({ ...fresh(), ...changes }, harness.as(actor));
    return user ?? expect.fail('no user in the answer');
  };
  const update = async (userId: string, changes: Omit<UpdateUserRequest, 'userId'>, actor = admin) => {
    const { user } = await harness.user.updateUser({ userId, ...changes }, harness.as(actor));
    return user ?? expect.fail('no user in the answer');
  };
  const remove = async (userId: string, actor = admin) =>
    harness.user.deleteUser({ userId, force: false }, harness.as(actor));
  const login = async (email: string, given = password) =>
    harness.auth.login({ email, password: given, userAgent: '' }, harness.as(visitor));

  describe('CreateUser', () => {
    it('takes a deleted user off the servers shared with them, and keeps the deletion open until that is done', async () => {
      const users = harness.mongo.collection<{ _id: string; deletion: { state: string } | null }>('users');
      const { id } = await addUser(harness);
      await remove(id);
      expect(fakeServices.removedUsers.filter((removed) => removed === id)).to.deep.equal([id]);
      expect(await users.findOne({ _id: id })).to.equal(null);
      const other = await addUser(harness);
      fakeServices.refusesRemovals = true;
      await remove(other.id);
      fakeServices.refusesRemovals = false;
      expect((await users.findOne({ _id: other.id }))?.deletion).to.deep.include({ state: 'decided' });
      expect(await refusal(session(harness, other.email))).to.equal('INVALID_CREDENTIALS');
    });

    it('creates a user with the role user by default', async () => {
      const tag = randomUUID();
      const user = await create({ email: ` New.${tag}@Example.org `, firstName: 'New', externalId: `crm-${tag}` });
      expect(user).to.deep.include({
        email: `new.${tag}@example.org`,
        firstName: 'New',
        language: 'en',
        externalId: `crm-${tag}`,
        role: { id: userRole.id, name: 'user' },
        twoFactorEnabled: false,
        serversCount: 0,
      });
      await login(user.email);
    });

    it('mails a link to choose a password to a user created without one', async () => {
      const user = await create({ password: undefined, language: 'de-AT' });
      expect(await refusal(login(user.email))).to.equal('INVALID_CREDENTIALS');
      const token = await mailedToken(fakeServices, user.email);
      expect(fakeServices.mails.find(({ to }) => to === user.email)?.language).to.equal('de-AT');
      await harness.auth.resetPassword({ token, password }, harness.as(visitor));
      await login(user.email);
    });

    it('refuses a taken address, name or external id', async () => {
      const one = await create({ externalId: `crm-${randomUUID()}` });
      expect(await refusal(create({ email: one.email.toUpperCase() }))).to.equal('EMAIL_TAKEN');
      expect(await refusal(create({ username: one.username.toUpperCase() }))).to.equal('USERNAME_TAKEN');
      expect(await refusal(create({ externalId: one.externalId }))).to.equal('EXTERNAL_ID_TAKEN');
      const request = fresh();
      const counts = await outcomes(times(20, async () => create(request)));
      expect(counts.ok).to.equal(1);
    });

    it('names every invalid field', async () => {
      const broken = { email: 'x', username: '', password: 'short', firstName: 'a\nb', language: '/' };
      const error = await create(broken).catch((thrown: unknown) => thrown);
      expect(isAppError(error) && error.metadata.fields).to.have.all.keys(
        'email',
        'username',
        'password',
        'first_name',
        'language',
      );
    });

    it('refuses a role that exceeds the creator or does not exist', async () => {
      expect(await refusal(create({ roleId: adminRole.id }, clerk))).to.equal('PERMISSION_EXCEEDS_OWN');
      expect(await refusal(create({ roleId: moderatorRole.id }, clerk))).to.equal('PERMISSION_EXCEEDS_OWN');
      expect(await refusal(create({ roleId: nobody }))).to.equal('INVALID_FIELDS');
      expect((await create({}, clerk)).role?.name).to.equal('user');
      expect((await create({ roleId: adminRole.id })).role?.name).to.equal('admin');
    });

    it('refuses callers without permission before any validation', async () => {
      const [customer, moderator] = [await staff(userRole.id), await staff(moderatorRole.id)];
      for (const actor of [customer, moderator])
        expect(await refusal(create({ email: 'x', password: 'y' }, actor))).to.equal('PERMISSION_MISSING');
      const call = harness.user.createUser(fresh(), harness.as(visitor));
      expect(await refusal(call)).to.equal('USER_REQUIRED');
    });
  });

  describe('UpdateUser', () => {
    it('changes only the given fields', async () => {
      const user = await create({ firstName: 'Old', externalId: `crm-${randomUUID()}` });
      const renamed = await update(user.id, { lastName: 'Name' });
      expect(renamed).to.include({ firstName: 'Old', lastName: 'Name', externalId: user.externalId });
      expect((await update(user.id, { externalId: '' })).externalId).to.equal('');
      expect((await update(user.id, { email: `x-${user.email}` })).email).to.equal(`x-${user.email}`);
    });

    it('sets a password and ends all sessions', async () => {
      const user = await create();
      const { tokens } = await session(harness, user.email);
      await update(user.id, { password: 'chosen by the admin' });
      expect(await refusal(actorOf(harness, tokens.accessToken))).to.equal('INVALID_TOKEN');
      await login(user.email, 'chosen by the admin');
    });

    it('applies a changed role on the next request', async () => {
      const user = await create({ roleId: moderatorRole.id });
      const { actor, tokens } = await session(harness, user.email);
      expect(actor.permissions).to.include('servers.view');
      await update(user.id, { roleId: userRole.id });
      expect((await actorOf(harness, tokens.accessToken)).permissions).to.be.empty;
    });

    it('refuses to change a user, or assign a role, with more permissions than the caller', async () => {
      const [customer, boss] = [await create(), await create({ roleId: adminRole.id })];
      const attacks: [string, Omit<UpdateUserRequest, 'userId'>][] = [
        [customer.id, { roleId: adminRole.id }],
        [customer.id, { roleId: moderatorRole.id }],
        [clerk.userId, { roleId: adminRole.id }],
        [boss.id, { firstName: 'Owned' }],
        [boss.id, { password: 'taken over now' }],
        [boss.id, { email: 'thief@example.org' }],
        [boss.id, { roleId: userRole.id }],
      ];
      for (const [id, changes] of attacks)
        expect(await refusal(update(id, changes, clerk)), JSON.stringify(changes)).to.equal('PERMISSION_EXCEEDS_OWN');
      expect(await refusal(remove(boss.id, clerk))).to.equal('PERMISSION_EXCEEDS_OWN');
      await login(boss.email);
      expect((await update(customer.id, { firstName: 'Helped' }, clerk)).firstName).to.equal('Helped');
    });

    it('limits an update by the permissions of the calling key', async () => {
      const boss = await create({ roleId: adminRole.id });
      const { actor } = await session(harness, boss.email);
      const request = { description: 'a bot', allowedIps: [], expireTime: undefined };
      const { key } = await harness.account.createApiKey(
        { ...request, permissions: { permissions: ['users.*'] } },
        harness.as(actor),
      );
      const bot = await keyActorOf(harness, key);
      const customer = await create();
      await update(customer.id, { firstName: 'Changed' }, bot);
      expect(await refusal(update(customer.id, { roleId: moderatorRole.id }, bot))).to.equal('PERMISSION_EXCEEDS_OWN');
      expect(await refusal(update(boss.id, { firstName: 'Changed' }, bot))).to.equal('PERMISSION_EXCEEDS_OWN');
    });

    it('does not reveal to unprivileged callers whether a user exists', async () => {
      const customer = await staff(userRole.id);
      const one = await create();
      for (const id of [one.id, nobody, 'no id'])
        expect(await refusal(update(id, { email: 'x' }, customer))).to.equal('PERMISSION_MISSING');
      expect(await refusal(update(nobody, { firstName: 'x' }))).to.equal('USER_NOT_FOUND');
    });
  });

  describe('the last admin', () => {
    /** Separate installation with this many admins. */
    async function withAdmins(count: number) {
      const place = await startHarness({ env: { SERVERS_ADDRESS: fakeServices.address, ...secretOf() } });
      const bosses = await Promise.all(times(count, async () => addUser(place, { roleId: adminRole.id })));
      return { place, bosses };
    }
    const secretOf = () => ({ SERVICE_SECRET: harness.env.SERVICE_SECRET ?? '' });
    const demote = async (place: Harness, userId: string) => place.user.updateUser({ userId, roleId: userRole.id });
    const admins = async (place: Harness) =>
      place.mongo.collection<Stored<UserRecord>>('users').countDocuments({ roleId: adminRole.id, deletion: null });

    it('refuses to demote or delete the last admin', async () => {
      const { place, bosses } = await withAdmins(1);
      try {
        const id = bosses[0]?.id ?? '';
        expect(await refusal(demote(place, id))).to.equal('LAST_ADMIN');
        expect(await refusal(place.user.deleteUser({ userId: id, force: false }))).to.equal('LAST_ADMIN');
        await place.user.updateUser({ userId: id, firstName: 'Still', roleId: adminRole.id });
        expect(await admins(place)).to.equal(1);
        const second = await addUser(place);
        await place.user.updateUser({ userId: second.id, roleId: adminRole.id });
        await demote(place, id);
        expect(await refusal(demote(place, second.id))).to.equal('LAST_ADMIN');
      } finally {
        await place.stop();
      }
    });

    it('keeps one admin when ten are demoted and deleted concurrently at two replicas', async function () {
      this.timeout(180_000);
      const { place, bosses } = await withAdmins(10);
      const replica = await startHarness({ env: place.env });
      try {
        for (let round = 0; round < 5; round += 1) {
          const calls = bosses.flatMap(({ id }, index) => {
            const at = index % 2 === 0 ? place : replica;
            return index < 5
              ? [demote(at, id), demote(at === place ? replica : place, id)]
              : [demote(at, id), at.user.updateUser({ userId: id, roleId: moderatorRole.id })];
          });
          const counts = await outcomes(calls);
          const refused = (counts.LAST_ADMIN ?? 0) + (counts.CONCURRENT_CHANGE ?? 0);
          expect(refused, JSON.stringify(counts)).to.be.above(0);
          // A demotion refused for a concurrent change leaves an admin.
          expect(await admins(place)).to.be.within(1, 1 + (counts.CONCURRENT_CHANGE ?? 0));
          await Promise.all(bosses.map(async ({ id }) => place.user.updateUser({ userId: id, roleId: adminRole.id })));
          expect(await admins(place)).to.equal(10);
        }
        const gone = await outcomes(bosses.map(async ({ id }) => place.user.deleteUser({ userId: id, force: false })));
        expect(gone).to.deep.equal({ ok: 9, LAST_ADMIN: 1 });
        expect(await admins(place)).to.equal(1);
      } finally {
        await Promise.all([place.stop(), replica.stop()]);
      }
    });

    it('recognises the last admin after an interrupted demotion', async () => {
      const { place, bosses } = await withAdmins(2);
      try {
        const [one = bosses[0], other = bosses[1]] = bosses;
        const users = place.mongo.collection<Stored<UserRecord>>('users');
        // State after a kill between the steps of a demotion: retired in the roster, still an admin.
        await demote(place, other?.id ?? '');
        await place.user.updateUser({ userId: other?.id ?? '', roleId: adminRole.id });
        const token = (await users.findOne({ _id: other?.id ?? '' }))?.adminToken ?? '';
        const rosters = place.mongo.collection<{ _id: string; counted: string[]; retired: string[] }>('admin_rosters');
        await rosters.updateOne({ _id: 'admins' }, { $pull: { counted: token }, $push: { retired: token } });
        await demote(place, one?.id ?? '');
        expect(await refusal(demote(place, other?.id ?? ''))).to.equal('LAST_ADMIN');
        expect(await admins(place)).to.equal(1);
      } finally {
        await place.stop();
      }
    });
  });

  describe('DeleteUser', () => {
    it('deletes the account with its sessions and keys', async () => {
      const user = await create();
      const { actor, tokens } = await session(harness, user.email);
      const request = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };
      const { key } = await harness.account.createApiKey(request, harness.as(actor));
      await remove(user.id);
      expect(await refusal(actorOf(harness, tokens.accessToken))).to.equal('INVALID_TOKEN');
      expect(await refusal(keyActorOf(harness, key))).to.equal('INVALID_TOKEN');
      expect(await refusal(login(user.email))).to.equal('INVALID_CREDENTIALS');
      expect(await refusal(remove(user.id))).to.equal('USER_NOT_FOUND');
      for (const name of ['users', 'sessions', 'api_keys'])
        expect(
          await harness.mongo
            .collection(name)
            .countDocuments({ $or: [{ _id: user.id as never }, { userId: user.id }] }),
        ).to.equal(0);
      await create({ email: user.email, username: user.username });
    });

    it('refuses to delete the owner of servers and leaves the account unchanged', async () => {
      const user = await create();
      fakeServices.serversOf.set(user.id, 2);
      expect(await refusal(remove(user.id))).to.equal('USER_OWNS_SERVERS');
      await login(user.email);
      await harness.user.getUser({ userId: user.id });
      fakeServices.serversOf.clear();
      await remove(user.id);
    });

    it('refuses to delete a user while the servers service is unavailable', async () => {
      const user = await create();
      fakeServices.isUnavailable = true;
      expect(await refusal(remove(user.id))).to.equal('SERVERS_UNREACHABLE');
      await login(user.email);
    });

    it('hides the user from services while the deletion is in progress', async () => {
      const user = await create();
      let seen = '';
      fakeServices.whileCounting = async () => {
        seen = await refusal(harness.user.getUser({ userId: user.id }));
      };
      await remove(user.id);
      expect(seen).to.equal('USER_NOT_FOUND');
    });

    it('deletes a user once for ten concurrent requests', async () => {
      const user = await create();
      const counts = await outcomes(times(10, async () => remove(user.id)));
      expect(counts.ok).to.equal(1);
      expect(Object.keys(counts).every((name) => ['ok', 'CONCURRENT_CHANGE', 'USER_NOT_FOUND'].includes(name))).to.be
        .true;
    });

    it('finishes a deletion whose process died after the decision', async () => {
      const user = await create();
      const { actor } = await session(harness, user.email);
      const users = harness.mongo.collection<Stored<UserRecord>>('users');
      await users.updateOne({ _id: user.id }, { $set: { deletion: { state: 'decided', at: new Date() } } });
      expect(await refusal(harness.account.getAccount({}, harness.as(actor)))).to.equal('INVALID_TOKEN');
      const another = await startHarness({ env: harness.env });
      try {
        const deadline = Date.now() + 10_000;
        while ((await users.countDocuments({ _id: user.id })) > 0 && Date.now() < deadline)
          await new Promise((resolve) => setImmediate(resolve));
        expect(await users.countDocuments({ _id: user.id })).to.equal(0);
        expect(await harness.mongo.collection('sessions').countDocuments({ userId: user.id })).to.equal(0);
      } finally {
        await another.stop();
      }
    });
  });

  describe('ListUsers', () => {
    const list = async (changes: object = {}, page: object = {}, actor = admin) => {
      const whole = { page: 1, perPage: 100, sort: [], search: '', ...page };
      const request = { ...ListUsersRequest.create(), page: whole, ...changes };
      return harness.user.listUsers(request, harness.as(actor));
    };

    it('finds users by a literal part of any name', async () => {
      const mark = randomUUID().slice(0, 8);
      const user = await create({ firstName: `Zoë ${mark}`, lastName: '100% (a+)+$', externalId: `ext.${mark}` });
      const ids = async (search: string) => (await list({}, { search })).users.map(({ id }) => id);
      const parts = [
        mark.toUpperCase(),
        `zoë ${mark}`,
        user.email.slice(2, 40),
        user.username.slice(1, 40),
        `ext.${mark}`,
      ];
      for (const search of parts) expect(await ids(search), search).to.include(user.id);
      expect(await ids('(a+)+$')).to.include(user.id);
      for (const search of ['.*', '^', '\\', `ext-${mark}`]) expect(await ids(search), search).to.be.empty;
    });

    it('filters by role and second factor, counts servers, pages and sorts', async () => {
      const user = await create({ roleId: moderatorRole.id });
      fakeServices.serversOf.set(user.id, 3);
      const found = (await list({ roleId: moderatorRole.id })).users;
      expect(new Set(found.map(({ role }) => role?.name))).to.deep.equal(new Set(['moderator']));
      expect(found.find(({ id }) => id === user.id)?.serversCount).to.equal(3);
      const protectedUsers = await list({ twoFactorEnabled: true });
      expect(protectedUsers.page?.total).to.equal(0);
      const byEmail = (await list({}, { sort: ['-email'] })).users.map(({ email }) => email);
      expect(byEmail).to.deep.equal(byEmail.toSorted().toReversed());
      const second = await list({}, { page: 2, perPage: 2 });
      expect(second.users).to.have.lengthOf(2);
      expect((await list({}, { page: 1000 })).users).to.be.empty;
      for (const sort of ['passwordHash', 'password_hash', '$where', '_id', 'twoFactor.secret'])
        expect(await refusal(list({}, { sort: [sort] })), sort).to.equal('INVALID_FIELDS');
    });

    it('filters by e-mail address in any case, and by external id', async () => {
      const externalId = `ext-${randomUUID()}`;
      const user = await create({ externalId });
      const ids = async (filter: object) => (await list(filter)).users.map(({ id }) => id);
      expect(await ids({ email: user.email.toUpperCase() })).to.deep.equal([user.id]);
      expect(await ids({ externalId })).to.deep.equal([user.id]);
      expect(await ids({ email: user.email, externalId: 'another' })).to.deep.equal([]);
      expect(await ids({ email: user.email.slice(1) })).to.deep.equal([]);
    });

    it('lists users without the servers service', async () => {
      fakeServices.isUnavailable = true;
      const { users } = await list();
      expect(users.length).to.be.above(0);
      expect(users.every(({ serversCount }) => serversCount === undefined)).to.be.true;
    });

    it('shows no secrets and refuses callers without permission', async () => {
      expect(JSON.stringify(await list())).to.not.match(/argon2|adminToken|sealed|epoch/i);
      await list({}, {}, await staff(moderatorRole.id));
      expect(await refusal(list({}, {}, await staff(userRole.id)))).to.equal('PERMISSION_MISSING');
    });
  });

  describe('lookups of services', () => {
    it('finds users by id and by address', async () => {
      const [one, other] = [await create(), await create()];
      const { users } = await harness.user.batchGetUsers({ userIds: [one.id, nobody, other.id, one.id] });
      expect(users.map(({ id }) => id)).to.have.members([one.id, other.id]);
      const { user } = await harness.user.findUserByEmail({ email: ` ${one.email.toUpperCase()}` });
      expect(user?.id).to.equal(one.id);
      expect(await refusal(harness.user.findUserByEmail({ email: 'nobody@example.org' }))).to.equal('USER_NOT_FOUND');
      const many = harness.user.batchGetUsers({ userIds: times(101, () => nobody) });
      expect(await refusal(many)).to.equal('INVALID_FIELDS');
    });

    it('refuses lookups by users', async () => {
      const call = harness.user.findUserByEmail({ email: 'a@example.org' }, harness.as(admin));
      expect(await refusal(call)).to.equal('SERVICE_REQUIRED');
      expect(await refusal(harness.user.batchGetUsers({ userIds: [] }, harness.as(admin)))).to.equal(
        'SERVICE_REQUIRED',
      );
      await harness.user.batchGetUsers({ userIds: [] }, harness.as(serviceActor('servers')));
    });
  });
});
