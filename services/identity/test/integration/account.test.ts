import { isAppError } from '@panel/kit/errors';
import type { UserActor } from '@panel/rpc';
import type { UpdateAccountRequest } from '@panel/protos/identity';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import {
  addUser,
  type Harness,
  outcomes,
  password,
  refusal,
  session,
  startHarness,
  testEnvironment,
  visitor,
  times,
} from './harness.js';
import { type FakeServices, mailedToken, startFakeServices, until } from './fake-services.js';

describe('UpdateAccount', () => {
  let harness: Harness;
  let fakeServices: FakeServices;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    harness = await startHarness({ env: { ...env, ADMIN_ADDRESS: fakeServices.address } });
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  const someone = async () => {
    const { id, email } = await addUser(harness);
    return { id, email, actor: (await session(harness, email)).actor };
  };
  const update = async (actor: UserActor, changes: Partial<UpdateAccountRequest>) => {
    const { user } = await harness.account.updateAccount({ currentPassword: '', ...changes }, harness.as(actor));
    return user ?? expect.fail('no user in the answer');
  };

  it('changes only the given fields', async () => {
    const { actor, email } = await someone();
    const named = await update(actor, { firstName: ' Anna ', lastName: "O'Neill", language: 'pt-BR' });
    expect(named).to.include({ email, firstName: 'Anna', lastName: "O'Neill", language: 'pt-BR' });
    const renamed = await update(actor, { username: `anna-${actor.userId.slice(0, 8)}` });
    expect(renamed).to.include({ firstName: 'Anna', language: 'pt-BR', username: `anna-${actor.userId.slice(0, 8)}` });
    expect(await update(actor, { lastName: '' })).to.include({ firstName: 'Anna', lastName: '' });
  });

  it('counts an address that a user has given as unproven until a mailed link was used', async () => {
    const { actor, email } = await someone();
    const moved = `proof-${email}`;
    const find = async () =>
      (await harness.user.batchGetUsersByEmail({ emails: [` ${moved.toUpperCase()} `] })).users[0];
    await update(actor, { email: moved, currentPassword: password });
    expect(await find()).to.deep.include({ id: actor.userId, emailUnproven: true });
    await update(actor, { email: moved });
    expect(await find()).to.deep.include({ emailUnproven: true });
    await harness.auth.requestPasswordReset({ email: moved }, harness.as(visitor));
    const token = await mailedToken(fakeServices, moved);
    await harness.auth.resetPassword({ token, password: 'a password chosen by link' }, harness.as(visitor));
    expect(await find()).to.deep.include({ emailUnproven: false });
  });

  it('requires the current password for a new address and notifies the old one', async () => {
    const { actor, email } = await someone();
    const moved = `moved-${email}`;
    await update(actor, { language: 'ar' });
    const without = await update(actor, { email: moved }).catch((error: unknown) => error);
    expect(without)
      .to.have.nested.property('metadata.fields')
      .deep.equal({ current_password: ['is required'] });
    expect(await refusal(update(actor, { email: moved, currentPassword: 'wrong password' }))).to.equal(
      'INVALID_FIELDS',
    );
    expect((await update(actor, { email: moved.toUpperCase(), currentPassword: password })).email).to.equal(moved);
    await until(() => fakeServices.mails.some(({ to }) => to === email), 'the old address is told');
    const { mail, language } = fakeServices.mails.find(({ to }) => to === email) ?? {};
    expect(language).to.equal('ar');
    expect(mail).to.deep.include({ $case: 'emailChanged' });
    expect(mail?.value).to.deep.include({ newEmail: moved });
  });

  it('accepts another spelling of the own address without a password', async () => {
    const { actor, email } = await someone();
    expect((await update(actor, { email: ` ${email.toUpperCase()} ` })).email).to.equal(email);
  });

  it('refuses a taken address or name', async () => {
    const [anna, ben] = [await someone(), await someone()];
    const name = `ben-${ben.id.slice(0, 8)}`;
    await update(ben.actor, { username: name });
    const move = { email: ben.email.toUpperCase(), currentPassword: password };
    expect(await refusal(update(anna.actor, move))).to.equal('EMAIL_TAKEN');
    expect(await refusal(update(anna.actor, { username: name.toUpperCase() }))).to.equal('USERNAME_TAKEN');
    const { user } = await harness.account.getAccount({}, harness.as(anna.actor));
    expect(user?.email).to.equal(anna.email);
  });

  it('gives a free name to one of ten concurrent requests', async () => {
    const people = await Promise.all(times(5, someone));
    const wanted = `wanted-${people[0]?.id.slice(0, 8)}`;
    const counts = await outcomes(people.map(async ({ actor }) => update(actor, { username: wanted })));
    expect(counts).to.deep.equal({ ok: 1, USERNAME_TAKEN: 4 });
  });

  it('limits probing for existing accounts', async () => {
    const { actor } = await someone();
    const victim = await addUser(harness);
    const probes = times(10, async () => update(actor, { email: victim.email, currentPassword: password }));
    expect(await outcomes(probes)).to.deep.equal({ EMAIL_TAKEN: 10 });
    const further = update(actor, { email: 'free@example.org', currentPassword: password });
    const error = await further.catch((thrown: unknown) => thrown);
    expect(isAppError(error, 'RATE_LIMIT_EXCEEDED') && error.metadata).to.include({ limit: 'email_changes', max: 10 });
    expect(isAppError(error) && error.metadata['retryAfterSeconds']).to.be.within(800, 900);
  });

  const malformed: [Partial<UpdateAccountRequest>, string][] = [
    [{ email: 'no address' }, 'email'],
    [{ username: '' }, 'username'],
    [{ username: '<img>' }, 'username'],
    [{ firstName: 'x'.repeat(101) }, 'first_name'],
    [{ lastName: 'a\nb' }, 'last_name'],
    [{ lastName: 'a\u202eb' }, 'last_name'],
    [{ language: '../../etc/passwd' }, 'language'],
    [{ language: '' }, 'language'],
  ];
  for (const [changes, field] of malformed) {
    it(`refuses ${JSON.stringify(changes).slice(0, 60)}`, async () => {
      const { actor } = await someone();
      const error = await update(actor, { currentPassword: password, ...changes }).catch((thrown: unknown) => thrown);
      expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys(field);
    });
  }

  it('keeps markup and templates as text', async () => {
    const { actor } = await someone();
    for (const firstName of ['<img src=x onerror=alert(1)>', '{{7*7}}', '${jndi:ldap://x}'])
      expect((await update(actor, { firstName })).firstName).to.equal(firstName);
  });
});

describe('activity', () => {
  let harness: Harness;
  let fakeServices: FakeServices;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    harness = await startHarness({ env: { ...env, ADMIN_ADDRESS: fakeServices.address } });
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  it('reports actor, action and address to the admin service without secrets', async () => {
    const { id, email } = await addUser(harness);
    const wrong = { email, password: 'wrong password', userAgent: '' };
    expect(await refusal(harness.auth.login(wrong, harness.as({ kind: 'anonymous', ip: '192.0.2.66' })))).to.equal(
      'INVALID_CREDENTIALS',
    );
    const { actor } = await session(harness, email);
    const request = { description: 'a bot', allowedIps: ['192.0.2.1'], expireTime: undefined, permissions: undefined };
    const { key, apiKey } = await harness.account.createApiKey(request, harness.as(actor));
    const elsewhere = { credential: { $case: 'apiKey' as const, value: key }, ip: '192.0.2.77' };
    expect(await refusal(harness.auth.authenticate(elsewhere))).to.equal('IP_NOT_ALLOWED');
    await harness.account.deleteApiKey({ apiKeyId: apiKey?.id ?? '' }, harness.as(actor));
    const names = ['auth:fail', 'auth:success', 'user:api-key.create', 'auth:ip-blocked', 'user:api-key.delete'];
    const mine = () => fakeServices.events.filter(({ userId }) => userId === id);
    await until(() => names.every((name) => mine().some(({ event }) => event === name)), 'all events arrive');
    const by = new Map(mine().map((event) => [event.event, event]));
    expect(by.get('auth:fail')).to.include({ actorId: '', ip: '192.0.2.66' });
    expect(by.get('auth:success')).to.include({ actorId: id, ip: actor.ip, apiKeyId: '' });
    expect(by.get('auth:ip-blocked')).to.include({ actorId: '', ip: '192.0.2.77' });
    expect(by.get('user:api-key.create')?.properties).to.deep.equal({ identifier: apiKey?.identifier });
    expect(JSON.stringify(mine())).to.not.include(key).and.not.include(password);
  });

  it('stops within 3 s while the admin service hangs', async () => {
    const hanging = await startFakeServices(harness.env.SERVICE_SECRET ?? '');
    hanging.isHanging = true;
    const env = { SERVICE_SECRET: harness.env.SERVICE_SECRET ?? '', ADMIN_ADDRESS: hanging.address };
    const service = await startHarness({ env });
    const { email } = await addUser(service);
    await session(service, email);
    const start = performance.now();
    await service.stop();
    expect(performance.now() - start).to.be.below(3_000);
    await hanging.stop();
  });

  it('keeps every event while the admin service is unavailable and delivers each once', async () => {
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    await until(() => fakeServices.events.some(({ userId }) => userId === id), 'the sign-in arrives');
    fakeServices.isUnavailable = true;
    const names = Array.from({ length: 110 }, (_, round) => `u${round}-${id}`);
    for (const username of names)
      await harness.account.updateAccount({ currentPassword: '', username }, harness.as(actor));
    const waiting = async () =>
      harness.mongo.collection('activity_outbox').countDocuments({ 'payload.userId': id, parkedAt: null });
    expect(await waiting()).to.equal(names.length);
    fakeServices.isUnavailable = false;
    await until(async () => (await waiting()) === 0, 'the outbox is empty');
    const renames = fakeServices.events.filter(({ userId, event }) => userId === id && /username/.test(event));
    expect(renames.map(({ properties }) => properties.new)).to.have.members(names);
  });
});
