import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import type { Stored } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import type { UserActor } from '@panel/rpc';
import type { CreateRoleRequest, UpdateRoleRequest } from '@panel/protos/identity';
import { expect } from 'chai';
import { adminRole, moderatorRole, systemRoles, userRole } from '../../src/domain/system-roles.js';
import type { UserRecord } from '../../src/domain/user.js';
import { actorOf, addUser, type Harness, outcomes, refusal, session, startHarness, times } from './harness.js';

const nobody = '5b1f3d0e-0000-4000-8000-000000000000';

describe('roles', () => {
  let harness: Harness;
  let admin: UserActor;
  before(async () => {
    harness = await startHarness();
    admin = (await someone(adminRole.id)).actor;
  });
  after(async () => harness.stop());

  const someone = async (roleId: string) => {
    const { id, email } = await addUser(harness, { roleId });
    return { id, email, ...(await session(harness, email)) };
  };
  const create = async (changes: Partial<CreateRoleRequest> = {}, actor = admin) => {
    const request = { name: `role ${randomUUID()}`, description: '', permissions: [], rateLimitMultiplier: undefined };
    const { role } = await harness.role.createRole({ ...request, ...changes }, harness.as(actor));
    return role ?? expect.fail('no role in the answer');
  };
  const update = async (roleId: string, changes: Partial<UpdateRoleRequest>, actor = admin) => {
    const { role } = await harness.role.updateRole({ permissions: undefined, ...changes, roleId }, harness.as(actor));
    return role ?? expect.fail('no role in the answer');
  };
  const remove = async (roleId: string, actor = admin) => harness.role.deleteRole({ roleId }, harness.as(actor));

  it('creates, lists, updates and deletes roles', async () => {
    const name = `Support ${randomUUID()}`;
    const role = await create({
      name,
      permissions: ['users.view', 'users.view', 'servers.*'],
      rateLimitMultiplier: 1.25,
    });
    expect(role).to.deep.include({
      name,
      permissions: ['servers.*', 'users.view'],
      rateLimitMultiplier: 1.25,
      system: false,
      usersCount: 0,
    });
    const page = { page: 1, perPage: 100, sort: ['-name'], search: name.toUpperCase() };
    expect((await harness.role.listRoles({ page }, harness.as(admin))).roles).to.deep.equal([role]);
    const changed = await update(role.id, { description: 'Helps', permissions: { permissions: [] } });
    expect(changed).to.deep.include({ name, description: 'Helps', permissions: [], rateLimitMultiplier: 1.25 });
    expect((await harness.role.getRole({ roleId: role.id }, harness.as(admin))).role).to.deep.equal(changed);
    await remove(role.id);
    expect(await refusal(remove(role.id))).to.equal('ROLE_NOT_FOUND');
    expect(await refusal(harness.role.getRole({ roleId: role.id }, harness.as(admin)))).to.equal('ROLE_NOT_FOUND');
  });

  it('counts the users of a role', async () => {
    const role = await create();
    await addUser(harness, { roleId: role.id });
    expect((await harness.role.getRole({ roleId: role.id }, harness.as(admin))).role?.usersCount).to.equal(1);
  });

  it('refuses changes of system roles', async () => {
    for (const { id } of systemRoles) {
      expect(await refusal(update(id, { permissions: { permissions: ['users.view'] } }))).to.equal('ROLE_IS_SYSTEM');
      expect(await refusal(update(id, { name: 'other' }))).to.equal('ROLE_IS_SYSTEM');
      expect(await refusal(remove(id))).to.equal('ROLE_IS_SYSTEM');
    }
  });

  it('refuses a role name that is taken', async () => {
    const one = await create();
    expect(await refusal(create({ name: one.name.toUpperCase() }))).to.equal('ROLE_NAME_TAKEN');
    expect(await refusal(create({ name: 'ADMIN' }))).to.equal('ROLE_NAME_TAKEN');
    const other = await create();
    expect(await refusal(update(other.id, { name: one.name }))).to.equal('ROLE_NAME_TAKEN');
  });

  it('applies changed permissions to the users of a role on the next request', async () => {
    const role = await create({ permissions: ['servers.view'] });
    const { actor, tokens } = await someone(role.id);
    expect(actor.permissions).to.deep.equal(['servers.view']);
    await update(role.id, { permissions: { permissions: ['nodes.view'] }, rateLimitMultiplier: 3 });
    expect((await actorOf(harness, tokens.accessToken)).permissions).to.deep.equal(['nodes.view']);
  });

  it('refuses a role with permissions its creator lacks', async () => {
    const role = await create({ permissions: ['roles.*', 'servers.view'] });
    const { actor: clerk } = await someone(role.id);
    for (const name of ['*', 'servers.*', 'servers.delete', 'users.view'])
      expect(await refusal(create({ permissions: ['servers.view', name] }, clerk)), name).to.equal(
        'PERMISSION_EXCEEDS_OWN',
      );
    const own = await create({ permissions: ['servers.view', 'roles.view'] }, clerk);
    expect(await refusal(update(own.id, { permissions: { permissions: ['*'] } }, clerk))).to.equal(
      'PERMISSION_EXCEEDS_OWN',
    );
    expect(await refusal(update(role.id, { permissions: { permissions: ['*'] } }, clerk))).to.equal(
      'PERMISSION_EXCEEDS_OWN',
    );
    const stronger = await create({ permissions: ['nodes.*'] });
    expect(await refusal(update(stronger.id, { description: 'mine' }, clerk))).to.equal('PERMISSION_EXCEEDS_OWN');
    expect(await refusal(remove(stronger.id, clerk))).to.equal('PERMISSION_EXCEEDS_OWN');
    await remove(own.id, clerk);
  });

  it('lets nobody raise the rate limit of their own role', async () => {
    const permissions = ['roles.*', 'users.*'];
    const own = await create({ permissions, rateLimitMultiplier: 2 });
    const faster = await create({ permissions: ['roles.view'], rateLimitMultiplier: 50 });
    const { id, actor } = await someone(own.id);
    expect(await refusal(update(own.id, { rateLimitMultiplier: 3 }, actor))).to.equal('OWN_RATE_LIMIT');
    expect((await update(own.id, { rateLimitMultiplier: 1.5 }, actor)).rateLimitMultiplier).to.equal(1.5);
    expect((await update(faster.id, { rateLimitMultiplier: 60 }, actor)).rateLimitMultiplier).to.equal(60);
    const promote = harness.user.updateUser({ userId: id, roleId: faster.id }, harness.as(actor));
    expect(await refusal(promote)).to.equal('OWN_RATE_LIMIT');
  });

  it('refuses callers without permission before any lookup', async () => {
    for (const roleId of [userRole.id, moderatorRole.id]) {
      const { actor } = await someone(roleId);
      for (const id of [adminRole.id, nobody]) {
        expect(await refusal(update(id, { name: '' }, actor))).to.equal('PERMISSION_MISSING');
        expect(await refusal(remove(id, actor))).to.equal('PERMISSION_MISSING');
        expect(await refusal(harness.role.getRole({ roleId: id }, harness.as(actor)))).to.equal('PERMISSION_MISSING');
      }
      expect(await refusal(create({ name: '' }, actor))).to.equal('PERMISSION_MISSING');
      expect(await refusal(harness.role.listRoles({ page: undefined }, harness.as(actor)))).to.equal(
        'PERMISSION_MISSING',
      );
    }
  });

  it('refuses to delete a role that is in use', async () => {
    const role = await create({ permissions: ['servers.view'] });
    const { id, tokens } = await someone(role.id);
    expect(await refusal(remove(role.id))).to.equal('ROLE_IN_USE');
    expect((await actorOf(harness, tokens.accessToken)).permissions).to.deep.equal(['servers.view']);
    await harness.user.updateUser({ userId: id, roleId: userRole.id });
    await remove(role.id);
  });

  it('never deletes a role that is assigned at the same moment', async function () {
    this.timeout(180_000);
    const people = await Promise.all(times(4, async () => addUser(harness)));
    for (let round = 0; round < 15; round += 1) {
      const role = await create();
      const gifts = people.map(async ({ id }) => harness.user.updateUser({ userId: id, roleId: role.id }));
      const counts = await outcomes([...gifts, remove(role.id)]);
      const users = harness.mongo.collection<Stored<UserRecord>>('users');
      const isThere = (await harness.mongo.collection<{ _id: string }>('roles').findOne({ _id: role.id })) !== null;
      if (!isThere) expect(await users.countDocuments({ roleId: role.id }), JSON.stringify(counts)).to.equal(0);
      for (const { id } of people) await harness.user.updateUser({ userId: id, roleId: userRole.id });
    }
  });

  it('treats users of a missing role as having the role user', async () => {
    const role = await create({ permissions: ['*'] });
    const { tokens } = await someone(role.id);
    await harness.mongo.collection<{ _id: string }>('roles').deleteOne({ _id: role.id });
    expect((await actorOf(harness, tokens.accessToken)).permissions).to.be.empty;
  });

  it('gives users of a missing role the role user, and removes what deleted users left behind', async () => {
    const role = await create({ permissions: ['*'] });
    const { id, actor } = await someone(role.id);
    const other = await someone(userRole.id);
    const key = { description: 'a key', allowedIps: [], permissions: undefined, expireTime: undefined };
    await harness.account.createApiKey(key, harness.as(actor));
    await harness.account.createApiKey(key, harness.as(other.actor));
    await harness.mongo.collection<{ _id: string }>('roles').deleteOne({ _id: role.id });
    await harness.mongo.collection<{ _id: string }>('users').deleteOne({ _id: other.id });
    const keys = harness.mongo.collection<{ userId: string }>('api_keys');
    await harness.mongo.collection<{ _id: string }>('job_leases').deleteOne({ _id: 'repair-references' });
    // The lease is free: another replica runs the job at its start.
    const replica = await startHarness({ env: harness.env });
    const users = harness.mongo.collection<Stored<UserRecord>>('users');
    await waitUntil('the repair', async () => (await keys.countDocuments({ userId: other.id })) === 0);
    expect((await users.findOne({ _id: id }))?.roleId).to.equal(userRole.id);
    expect(await keys.countDocuments({ userId: id })).to.equal(1);
    await replica.stop();
  });

  const malformed: [Partial<CreateRoleRequest>, string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ permissions: ['servers.fly'] }, 'permissions'],
    [{ permissions: ['__proto__'] }, 'permissions'],
    [{ rateLimitMultiplier: 0 }, 'rate_limit_multiplier'],
    [{ rateLimitMultiplier: -1 }, 'rate_limit_multiplier'],
    [{ rateLimitMultiplier: 100.1 }, 'rate_limit_multiplier'],
    [{ rateLimitMultiplier: NaN }, 'rate_limit_multiplier'],
    [{ rateLimitMultiplier: Infinity }, 'rate_limit_multiplier'],
  ];
  for (const [changes, field] of malformed) {
    it(`refuses a role with ${field} ${String(Object.values(changes)[0]).slice(0, 20)}`, async () => {
      const error = await create(changes).catch((thrown: unknown) => thrown);
      expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys(field);
    });
  }
});
