import type { Stored } from '@panel/kit/mongo';
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { adminRole, moderatorRole, userRole } from '../../src/domain/system-roles.js';
import type { ApiKeyRecord } from '../../src/domain/api-key.js';
import {
  addUser,
  type Harness,
  keyActorOf,
  outcomes,
  refusal,
  session,
  startHarness,
  times,
  visitor,
  visitorIp,
} from './harness.js';
import type { UserActor } from '@panel/rpc';
import type { CreateApiKeyRequest } from '@panel/protos/identity';

const aKey: CreateApiKeyRequest = {
  description: 'a bot',
  allowedIps: [],
  expireTime: undefined,
  permissions: undefined,
};

describe('API keys', () => {
  let harness: Harness;
  let aheadMs = 0;
  before(async () => {
    harness = await startHarness({ overrides: { clock: () => new Date(Date.now() + aheadMs) } });
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  after(async () => harness.stop());

  const someone = async (roleId = userRole.id): Promise<UserActor> => {
    const { email } = await addUser(harness, { roleId });
    return (await session(harness, email)).actor;
  };
  const create = async (actor: UserActor, changes: Partial<CreateApiKeyRequest> = {}) => {
    const { key, apiKey } = await harness.account.createApiKey({ ...aKey, ...changes }, harness.as(actor));
    return { key, apiKey: apiKey ?? expect.fail('no key in the answer') };
  };
  const list = async (actor: UserActor) => harness.account.listApiKeys({ page: undefined }, harness.as(actor));
  const use = async (key: string, ip = visitorIp) =>
    harness.auth.authenticate({ credential: { $case: 'apiKey', value: key }, ip });

  it('shows a key once and stores only its hash', async () => {
    const owner = await someone();
    const { key, apiKey } = await create(owner);
    expect(key).to.match(/^gsp_[0-9A-Za-z]{43}$/);
    expect(apiKey.identifier).to.equal(key.slice(0, 12));
    const { apiKeys } = await list(owner);
    expect(apiKeys).to.deep.equal([apiKey]);
    const stored = await harness.mongo.collection<Stored<ApiKeyRecord>>('api_keys').findOne({ _id: apiKey.id });
    expect(stored?.hash).to.equal(createHash('sha256').update(key).digest('hex'));
    expect(JSON.stringify(stored)).to.not.include(key.slice(12));
  });

  it('finds keys by a literal part of their description or identifier', async () => {
    const owner = await someone();
    const { apiKey } = await create(owner, { description: 'Nightly backups' });
    await create(owner, { description: 'another' });
    const found = async (search: string) => {
      const page = { page: 1, perPage: 25, sort: [], search };
      const { apiKeys, page: info } = await harness.account.listApiKeys({ page }, harness.as(owner));
      return [info?.total, ...apiKeys.map(({ id }) => id)];
    };
    expect(await found('nightly')).to.deep.equal([1, apiKey.id]);
    expect(await found(apiKey.identifier.slice(4))).to.deep.equal([1, apiKey.id]);
    expect(await found('.*')).to.deep.equal([0]);
  });

  it('grants a key the current permissions of its owner', async () => {
    const owner = await someone(adminRole.id);
    const { key, apiKey } = await create(owner);
    const before = await use(key);
    expect(before).to.include({ userId: owner.userId, apiKeyId: apiKey.id, sessionId: '', roleName: 'admin' });
    expect(before.permissions).to.deep.equal(['*']);
    expect(before.rateLimitMultiplier).to.equal(2);
    await harness.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: owner.userId }, { $set: { roleId: moderatorRole.id } });
    const after = await use(key);
    expect(after.permissions).to.deep.equal([...moderatorRole.permissions]);
    expect(after.rateLimitMultiplier).to.equal(1.5);
  });

  it('narrows a key to its subset when the role of the owner changes', async () => {
    const owner = await someone(moderatorRole.id);
    const permissions = { permissions: ['servers.view', 'nodes.view'] };
    const { key, apiKey } = await create(owner, { permissions });
    expect(apiKey.permissions?.permissions).to.have.members(permissions.permissions);
    const setRole = async (roleId: string) =>
      harness.mongo.collection<{ _id: string }>('users').updateOne({ _id: owner.userId }, { $set: { roleId } });
    expect((await use(key)).permissions).to.have.members(permissions.permissions);
    await setRole(adminRole.id);
    expect((await use(key)).permissions).to.have.members(permissions.permissions);
    await setRole(userRole.id);
    expect((await use(key)).permissions).to.be.empty;
  });

  it('creates a key without any permission', async () => {
    const { key } = await create(await someone(adminRole.id), { permissions: { permissions: [] } });
    expect((await use(key)).permissions).to.be.empty;
  });

  it('reports the list of a key, with permissions of servers and of the account', async () => {
    const owner = await someone(userRole.id);
    const permissions = ['account.read', 'control.start', 'file.*'];
    const { key } = await create(owner, { permissions: { permissions } });
    const known = await use(key);
    expect(known.keyPermissions?.permissions).to.have.members(permissions);
    expect(known.permissions).to.be.empty;
    const { key: unlimited } = await create(owner);
    expect((await use(unlimited)).keyPermissions).to.equal(undefined);
  });

  it('refuses account calls by a key whose list does not name them', async () => {
    const owner = await someone(userRole.id);
    const { key } = await create(owner, { permissions: { permissions: ['account.read', 'control.*'] } });
    const options = harness.as(await keyActorOf(harness, key));
    expect((await harness.account.getAccount({}, options)).user?.id).to.equal(owner.userId);
    const refused = [
      harness.account.updateAccount({ currentPassword: '', firstName: 'Eve' }, options),
      harness.account.changePassword({ currentPassword: 'correct horse battery', password: 'a new password' }, options),
      harness.account.beginTwoFactor({ password: 'correct horse battery' }, options),
      harness.account.listSessions({ page: undefined }, options),
      harness.account.listApiKeys({ page: undefined }, options),
      harness.account.createApiKey(
        { description: 'more', allowedIps: [], permissions: undefined, expireTime: undefined },
        options,
      ),
      harness.auth.logout({}, options),
    ];
    expect(await outcomes(refused)).to.deep.equal({ PERMISSION_MISSING: refused.length });
  });

  it('refuses a key with permissions its owner lacks', async () => {
    const owner = await someone(moderatorRole.id);
    for (const name of ['*', 'servers.*', 'servers.delete', 'settings.view'])
      expect(await refusal(create(owner, { permissions: { permissions: ['nodes.view', name] } })), name).to.equal(
        'PERMISSION_EXCEEDS_OWN',
      );
    expect((await list(owner)).apiKeys).to.be.empty;
  });

  it('limits a user to 25 keys under concurrency and frees the slot of a deleted key', async () => {
    const [owner, other] = [await someone(), await someone()];
    const replica = await startHarness({ env: harness.env });
    try {
      const calls = times(50, async (index) =>
        (index % 2 === 0 ? harness : replica).account.createApiKey(aKey, harness.as(owner)),
      );
      expect(await outcomes(calls)).to.deep.equal({ ok: 25, API_KEY_LIMIT: 25 });
    } finally {
      await replica.stop();
    }
    const { apiKeys, page } = await list(owner);
    expect(page?.total).to.equal(25);
    await create(other);
    await harness.account.deleteApiKey({ apiKeyId: apiKeys[7]?.id ?? '' }, harness.as(owner));
    await create(owner);
    expect(await refusal(create(owner))).to.equal('API_KEY_LIMIT');
  });

  it('refuses a key from an address that is not allowed', async () => {
    const owner = await someone();
    const { key } = await create(owner, { allowedIps: ['192.0.2.1', '2001:DB8::/32'] });
    for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::99'])
      expect((await use(key, ip)).userId).to.equal(owner.userId);
    for (const ip of ['192.0.2.2', '::ffff:192.0.2.2', '2001:db9::1', '', 'localhost'])
      expect(await refusal(use(key, ip)), ip).to.equal('IP_NOT_ALLOWED');
  });

  it('refuses an expired key', async () => {
    const { key } = await create(await someone(), { expireTime: new Date(Date.now() + 60_000) });
    expect((await use(key)).expireTime).to.be.instanceOf(Date);
    aheadMs = 61_000;
    expect(await refusal(use(key))).to.equal('INVALID_TOKEN');
  });

  it('refuses a key at once when it or its owner is deleted', async () => {
    const owner = await someone();
    const [one, other] = [await create(owner), await create(owner)];
    const remove = async () => harness.account.deleteApiKey({ apiKeyId: one.apiKey.id }, harness.as(owner));
    await remove();
    expect(await refusal(remove())).to.equal('API_KEY_NOT_FOUND');
    expect(await refusal(use(one.key))).to.equal('INVALID_TOKEN');
    await harness.mongo.collection<{ _id: string }>('users').deleteOne({ _id: owner.userId });
    expect(await refusal(use(other.key))).to.equal('INVALID_TOKEN');
  });

  it('lets a key delete itself', async () => {
    const { key, apiKey } = await create(await someone());
    await harness.account.deleteApiKey({ apiKeyId: apiKey.id }, harness.as(await keyActorOf(harness, key)));
    expect(await refusal(use(key))).to.equal('INVALID_TOKEN');
  });

  it('neither lists nor deletes keys of other users', async () => {
    const [anna, ben] = [await someone(), await someone(adminRole.id)];
    const { key, apiKey } = await create(anna);
    const remove = harness.account.deleteApiKey({ apiKeyId: apiKey.id }, harness.as(ben));
    expect(await refusal(remove)).to.equal('API_KEY_NOT_FOUND');
    expect((await list(ben)).apiKeys).to.be.empty;
    expect((await use(key)).userId).to.equal(anna.userId);
  });

  it('ignores a logout by key', async () => {
    const owner = await someone();
    const { key } = await create(owner);
    await harness.auth.logout({}, harness.as(await keyActorOf(harness, key)));
    expect((await use(key)).userId).to.equal(owner.userId);
    const { sessions } = await harness.account.listSessions({ page: undefined }, harness.as(owner));
    expect(sessions.map(({ current }) => current)).to.deep.equal([true]);
  });

  it('accepts keys after JWT_SECRET has changed', async () => {
    const { key } = await create(await someone());
    const rotated = await startHarness({
      env: { ...harness.env, JWT_SECRET: 'a-new-secret-of-more-than-32-characters' },
    });
    try {
      await keyActorOf(rotated, key);
    } finally {
      await rotated.stop();
    }
  });

  describe('created by another key', () => {
    it('passes each limit of a key on to the key it creates', async () => {
      const owner = await someone(adminRole.id);
      const expireTime = new Date(Date.now() + 3_600_000);
      const limits = {
        allowedIps: [visitorIp],
        expireTime,
        permissions: { permissions: ['account.api-keys', 'servers.*'] },
      };
      const { key } = await create(owner, limits);
      const { apiKey: child } = await create(await keyActorOf(harness, key));
      expect(child.allowedIps).to.deep.equal([visitorIp]);
      expect(child.expireTime).to.deep.equal(expireTime);
      expect(child.permissions?.permissions).to.deep.equal(['account.api-keys', 'servers.*']);
    });

    it('refuses a key that exceeds the key that creates it', async () => {
      const owner = await someone(adminRole.id);
      const { key } = await create(owner, {
        allowedIps: [visitorIp],
        permissions: { permissions: ['account.api-keys', 'servers.*'] },
      });
      const parent = await keyActorOf(harness, key);
      const { apiKey: child } = await create(parent, { permissions: { permissions: ['servers.view'] } });
      expect(child.permissions?.permissions).to.deep.equal(['servers.view']);
      for (const name of ['*', 'users.view'])
        expect(await refusal(create(parent, { permissions: { permissions: [name] } }))).to.equal(
          'PERMISSION_EXCEEDS_OWN',
        );
      expect(await refusal(create(parent, { allowedIps: ['0.0.0.0/0'] }))).to.equal('INVALID_FIELDS');
    });

    it('refuses to create a key through a deleted key', async () => {
      const owner = await someone();
      const { key, apiKey } = await create(owner);
      const parent = await keyActorOf(harness, key);
      await harness.account.deleteApiKey({ apiKeyId: apiKey.id }, harness.as(owner));
      expect(await refusal(create(parent))).to.equal('INVALID_TOKEN');
    });
  });

  const malformed: Record<string, [Partial<CreateApiKeyRequest>, string]> = {
    'no description': [{ description: '' }, 'description'],
    'a blank description': [{ description: '   ' }, 'description'],
    'a description of 10 KiB': [{ description: 'x'.repeat(10_240) }, 'description'],
    'a description of two lines': [{ description: 'one\ntwo' }, 'description'],
    'a description that reverses the text after it': [{ description: 'a\u202eb' }, 'description'],
    'an address that is none': [{ allowedIps: ['192.0.2.1', 'example.org'] }, 'allowed_ips'],
    'too many addresses': [{ allowedIps: times(51, (index) => `192.0.2.${index}`) }, 'allowed_ips'],
    'a permission nobody knows': [{ permissions: { permissions: ['servers.fly'] } }, 'permissions'],
    'an end in the past': [{ expireTime: new Date(Date.now() - 1000) }, 'expires_at'],
  };
  for (const [name, [changes, field]] of Object.entries(malformed)) {
    it(`refuses a key with ${name}`, async () => {
      const owner = await someone(adminRole.id);
      const error = await create(owner, changes).then(
        () => expect.fail('was not refused'),
        (thrown: unknown) => thrown,
      );
      expect(error).to.have.nested.property('metadata.fields').that.has.keys(field);
      expect((await list(owner)).apiKeys).to.be.empty;
    });
  }

  it('keeps markup in a description as text', async () => {
    const description = '<img src=x onerror=alert(1)> {{7*7}} ${jndi:ldap://x} 👩‍👩‍👧';
    const { apiKey } = await create(await someone(), { description });
    expect(apiKey.description).to.equal(description);
  });

  it('refuses malformed keys without a database lookup', async () => {
    for (const text of ['', 'gsp_', `gsp_${'a'.repeat(43)}`, '{"$ne":""}', 'x'.repeat(100_000)])
      expect(await refusal(use(text)), text.slice(0, 40)).to.equal('INVALID_TOKEN');
  });

  it('recalls a key by its id from any address until it expires or is deleted', async () => {
    const owner = await someone();
    const expireTime = new Date(Date.now() + 3_600_000);
    const changes = { permissions: { permissions: ['account.read'] }, allowedIps: ['198.51.100.7'] };
    const recall = async (value: string) =>
      harness.auth.authenticate({ credential: { $case: 'apiKeyId', value }, ip: visitorIp });
    const { apiKey: expiring, key } = await create(owner, { ...changes, expireTime });
    expect(await recall(expiring.id)).to.deep.include({
      userId: owner.userId,
      apiKeyId: expiring.id,
      keyPermissions: { permissions: ['account.read'] },
    });
    expect(await refusal(recall(key))).to.equal('INVALID_TOKEN');
    aheadMs = 3_600_001;
    expect(await refusal(recall(expiring.id))).to.equal('INVALID_TOKEN');
    aheadMs = 0;
    await harness.account.deleteApiKey({ apiKeyId: expiring.id }, harness.as(owner));
    expect(await refusal(recall(expiring.id))).to.equal('INVALID_TOKEN');
  });

  it('refuses Authenticate calls by users', async () => {
    const owner = await someone(adminRole.id);
    const { key } = await create(owner);
    const request = { credential: { $case: 'apiKey' as const, value: key }, ip: visitorIp };
    expect(await refusal(harness.auth.authenticate(request, harness.as(owner)))).to.equal('SERVICE_REQUIRED');
    expect(await refusal(harness.auth.authenticate(request, harness.as(visitor)))).to.equal('SERVICE_REQUIRED');
    expect(await refusal(harness.auth.authenticate({ credential: undefined, ip: '' }))).to.equal('INVALID_TOKEN');
  });
});
