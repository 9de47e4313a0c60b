import { randomUUID } from 'node:crypto';
import { type CallOptions, serviceActor, type UserActor } from '@panel/rpc';
import type { CreateUserRequest } from '@panel/protos/identity';
import { expect } from 'chai';
import { adminRole, userRole } from '../../src/domain/system-roles.js';
import { addUser, type Harness, keyActorOf, refusal, session, startHarness, times, visitorIp } from './harness.js';

const aKey = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };

interface Roster {
  readonly counted: string[];
}

function newUser(changes: Partial<CreateUserRequest> = {}): CreateUserRequest {
  const name = `u-${randomUUID()}`;
  const given = { email: `${name}@example.org`, username: name, password: 'correct horse battery' };
  return { ...given, firstName: '', lastName: '', language: '', roleId: '', externalId: '', ...changes };
}

function newRole() {
  return { name: `role ${randomUUID()}`, description: '', permissions: ['nodes.view'], rateLimitMultiplier: 2 };
}

describe('repeated creations', function () {
  this.timeout(180_000);
  let harness: Harness;
  let replica: Harness;
  before(async () => {
    harness = await startHarness();
    replica = await startHarness({ env: harness.env });
  });
  after(async () => {
    await replica.stop();
    await harness.stop();
  });

  const admin = async (): Promise<UserActor> => {
    const { email } = await addUser(harness, { roleId: adminRole.id });
    return (await session(harness, email)).actor;
  };
  const again = (actor: UserActor, idempotencyId: string): CallOptions => ({ ...harness.as(actor), idempotencyId });
  const count = async (collection: string, filter: object) =>
    harness.mongo.collection(collection).countDocuments(filter);
  const roster = async () => harness.mongo.collection<Roster>('admin_rosters').findOne({});
  const adminTokenOf = async (id = '') => {
    const users = harness.mongo.collection<{ _id: string; adminToken: string }>('users');
    return (await users.findOne({ _id: id }))?.adminToken ?? expect.fail('not an admin');
  };
  /** Fifty concurrent calls at two replicas. */
  const fifty = async <T>(call: (at: Harness) => Promise<T>): Promise<T[]> =>
    Promise.all(times(50, async (index) => call(index % 2 ? replica : harness)));

  it('creates one user from fifty repeated requests and returns it to all', async () => {
    const [actor, idempotencyId, request] = [await admin(), randomUUID(), newUser({ roleId: adminRole.id })];
    const answers = await fifty(async ({ user }) => user.createUser(request, again(actor, idempotencyId)));
    expect(await count('users', { email: request.email })).to.equal(1);
    const { user } = answers[0] ?? expect.fail();
    for (const answer of answers) {
      expect({ ...answer.user, serversCount: 0 }).to.deep.equal({ ...user, serversCount: 0 });
    }
    const token = await adminTokenOf(user?.id);
    expect((await roster())?.counted.filter((counted) => counted === token)).to.have.length(1);
  });

  it('creates one role from fifty repeated requests', async () => {
    const [actor, idempotencyId, request] = [await admin(), randomUUID(), newRole()];
    const answers = await fifty(async ({ role }) => role.createRole(request, again(actor, idempotencyId)));
    expect(await count('roles', { name: request.name })).to.equal(1);
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
  });

  it('creates one API key from fifty repeated requests and returns its working value to all', async () => {
    const [actor, idempotencyId] = [await admin(), randomUUID()];
    const answers = await fifty(async ({ account }) => account.createApiKey(aKey, again(actor, idempotencyId)));
    expect(await count('api_keys', { userId: actor.userId })).to.equal(1);
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect((await keyActorOf(harness, answers[0]?.key ?? '')).userId).to.equal(actor.userId);
  });

  it('counts a repeated creation of a key once against the limit', async () => {
    const actor = await admin();
    for (let i = 0; i < 24; i++) await harness.account.createApiKey(aKey, harness.as(actor));
    const idempotencyId = randomUUID();
    const answers = await fifty(async ({ account }) => account.createApiKey(aKey, again(actor, idempotencyId)));
    expect(new Set(answers.map(({ key }) => key)).size).to.equal(1);
    expect(await count('api_keys', { userId: actor.userId })).to.equal(25);
    const other = harness.account.createApiKey(aKey, again(actor, randomUUID()));
    expect(await refusal(other)).to.equal('API_KEY_LIMIT');
  });

  it('stores nothing from which the value of a key can be derived', async () => {
    const [actor, idempotencyId] = [await admin(), randomUUID()];
    const { key, apiKey } = await harness.account.createApiKey(aKey, again(actor, idempotencyId));
    const stored = await harness.mongo.collection<{ _id: string }>('api_keys').findOne({ _id: apiKey?.id ?? '' });
    expect(apiKey?.id).to.not.equal(idempotencyId);
    expect(JSON.stringify(stored)).to.not.include(key.slice(12)).and.not.include(idempotencyId);
  });

  it('gives another user with the same idempotency id an object of their own', async () => {
    const [one, other, idempotencyId] = [await admin(), await admin(), randomUUID()];
    const [first, second] = [
      await harness.account.createApiKey(aKey, again(one, idempotencyId)),
      await harness.account.createApiKey(aKey, again(other, idempotencyId)),
    ];
    expect(first.key).to.not.equal(second.key);
    expect((await keyActorOf(harness, second.key)).userId).to.equal(other.userId);
    const user = await harness.user.createUser(newUser(), again(one, idempotencyId));
    const theirs = await harness.user.createUser(newUser(), again(other, idempotencyId));
    expect(theirs.user?.id).to.not.equal(user.user?.id);
  });

  it('does not return a key to a key with fewer permissions', async () => {
    const [owner, idempotencyId] = [await admin(), randomUUID()];
    const { key } = await harness.account.createApiKey(aKey, again(owner, idempotencyId));
    const permissions = { permissions: ['account.api-keys', 'nodes.view'] };
    const small = await harness.account.createApiKey({ ...aKey, permissions }, harness.as(owner));
    const thief = await keyActorOf(harness, small.key);
    const got = await harness.account.createApiKey(aKey, again(thief, idempotencyId));
    expect(got.key).to.not.equal(key);
    expect(got.apiKey?.permissions).to.deep.equal(permissions);
  });

  it('checks the permission to create also for a repetition', async () => {
    const [actor, idempotencyId, request] = [await admin(), randomUUID(), newRole()];
    await harness.role.createRole(request, again(actor, idempotencyId));
    const demoted = again({ ...actor, permissions: [] }, idempotencyId);
    expect(await refusal(harness.role.createRole(request, demoted))).to.equal('PERMISSION_MISSING');
  });

  it('returns the created object to a repetition even if its input would be refused now', async () => {
    const [actor, idempotencyId, request] = [await admin(), randomUUID(), newUser()];
    const { user } = await harness.user.createUser(request, again(actor, idempotencyId));
    const userId = user?.id ?? '';
    await harness.mongo.collection<{ _id: string }>('users').updateOne({ _id: userId }, { $set: { firstName: 'Ada' } });
    const repeated = await harness.user.createUser(request, again(actor, idempotencyId));
    expect(repeated.user).to.include({ id: userId, firstName: 'Ada' });
    expect(repeated.user?.role?.id).to.equal(userRole.id);
    expect(await refusal(harness.user.createUser(request, again(actor, randomUUID())))).to.be.oneOf([
      'EMAIL_TAKEN',
      'USERNAME_TAKEN',
    ]);
  });

  it('completes a creation that was interrupted after the insert', async () => {
    const [actor, idempotencyId, request] = [await admin(), randomUUID(), newUser({ roleId: adminRole.id })];
    const { user } = await harness.user.createUser(request, again(actor, idempotencyId));
    const token = await adminTokenOf(user?.id);
    await harness.mongo.collection<Roster>('admin_rosters').updateOne({}, { $pull: { counted: token } });
    await harness.user.createUser(request, again(actor, idempotencyId));
    expect((await roster())?.counted).to.include(token);
  });

  it('refuses to return a key again under another SERVICE_SECRET', async () => {
    const [actor, idempotencyId] = [await admin(), randomUUID()];
    await harness.account.createApiKey(aKey, again(actor, idempotencyId));
    const { SERVICE_SECRET: _old, ...env } = harness.env;
    const changed = await startHarness({ env });
    try {
      const options = { ...changed.as(actor), idempotencyId };
      expect(await refusal(changed.account.createApiKey(aKey, options))).to.equal('API_KEY_UNRECOVERABLE');
      expect(await count('api_keys', { userId: actor.userId })).to.equal(1);
    } finally {
      await changed.stop();
    }
  });

  it('keeps the repeated creations of different services apart', async () => {
    const [idempotencyId, request] = [randomUUID(), newRole()];
    const as = (name: string) => ({
      actorToken: harness.signer.sign({ ...serviceActor(name), ip: visitorIp }),
      idempotencyId,
    });
    const first = await harness.role.createRole(request, as('billing'));
    expect(await harness.role.createRole(request, as('billing'))).to.deep.equal(first);
    expect(await refusal(harness.role.createRole(request, as('servers')))).to.equal('ROLE_NAME_TAKEN');
  });
});
