import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import ssh2 from 'ssh2';
import type { AuthenticateSftpRequest } from '@panel/protos/identity';
import type { UserActor } from '@panel/rpc';
import { adminRole } from '../../src/domain/system-roles.js';
import { totpCode, totpStep } from '../../src/crypto/totp.js';
import {
  addUser,
  type Harness,
  outcomes,
  password,
  refusal,
  session,
  startHarness,
  times,
  visitorIp,
} from './harness.js';

const codeOf = (secret: string) => totpCode(secret, totpStep(new Date()));
const blobOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64');
/** Two lengths, `ssh-ed25519` and 32 bytes. ssh2 generates about one shorter, malformed key in two hundred. */
const blobLength = 4 + 11 + 4 + 32;
const newKey = (): string => {
  const line = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'laptop' }).public.trim();
  return blobOf(line).length === blobLength ? line : newKey();
};

describe('SSH keys and SFTP', () => {
  let harness: Harness;
  let aheadMs = 0;
  before(async () => {
    harness = await startHarness({ overrides: { clock: () => new Date(Date.now() + aheadMs) } });
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  after(async () => harness.stop());

  const someone = async () => {
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    return { id, email, username: `u-${id}`, actor };
  };
  const create = async (actor: UserActor, publicKey: string, name = '') => {
    const { sshKey } = await harness.account.createSshKey({ name, publicKey }, harness.as(actor));
    return sshKey ?? expect.fail('no key in the answer');
  };
  const list = async (actor: UserActor) =>
    (await harness.account.listSshKeys({ page: undefined }, harness.as(actor))).sshKeys;
  const authenticate = async (username: string, proof: AuthenticateSftpRequest['proof']) =>
    harness.auth.authenticateSftp({ username, ip: visitorIp, proof });
  const byPassword = async (username: string, value: string) => authenticate(username, { $case: 'password', value });
  const byKey = async (username: string, line: string) =>
    authenticate(username, { $case: 'publicKey', value: blobOf(line) });

  it('registers, lists and deletes keys', async () => {
    const { actor } = await someone();
    const line = newKey();
    const key = await create(actor, line);
    expect(key).to.include({
      name: 'laptop',
      algorithm: 'ssh-ed25519',
      publicKey: line.split(' ').slice(0, 2).join(' '),
    });
    expect(key.fingerprint).to.match(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect((await create(actor, newKey(), 'desktop')).name).to.equal('desktop');
    expect((await list(actor)).map(({ name }) => name)).to.deep.equal(['laptop', 'desktop']);
    await harness.account.deleteSshKey({ sshKeyId: key.id }, harness.as(actor));
    expect(await list(actor)).to.have.length(1);
  });

  it('refuses malformed keys and a key that is registered already', async () => {
    const { actor } = await someone();
    expect(await refusal(create(actor, 'ssh-ed25519 AAAA'))).to.equal('INVALID_FIELDS');
    const line = newKey();
    expect(await outcomes(times(10, async () => create(actor, line)))).to.deep.equal({ ok: 1, SSH_KEY_EXISTS: 9 });
  });

  it('limits a user to 25 keys under concurrency', async () => {
    const { actor } = await someone();
    const counts = await outcomes(times(50, async () => create(actor, newKey())));
    expect(counts).to.deep.equal({ ok: 25, SSH_KEY_LIMIT: 25 });
  });

  it('neither lists nor deletes keys of other users', async () => {
    const owner = await someone();
    const other = await someone();
    const key = await create(owner.actor, newKey());
    expect(await list(other.actor)).to.be.empty;
    const remove = harness.account.deleteSshKey({ sshKeyId: key.id }, harness.as(other.actor));
    expect(await refusal(remove)).to.equal('SSH_KEY_NOT_FOUND');
  });

  it('needs the permission account.ssh-keys on the list of an API key', async () => {
    const { actor } = await someone();
    const narrowed: UserActor = { ...actor, method: 'api_key', keyPermissions: ['account.read'] };
    expect(await refusal(create(narrowed, newKey()))).to.equal('PERMISSION_MISSING');
    await create({ ...narrowed, keyPermissions: ['account.ssh-keys'] }, newKey());
  });

  it('says that an offered key is known, and does not take it for used', async () => {
    const [one, other] = [await someone(), await someone()];
    const [offered, used] = [newKey(), newKey()];
    await create(one.actor, offered);
    await create(other.actor, used);
    const offer = async (key: string) => authenticate(one.username, { $case: 'offeredKey', value: blobOf(key) });
    expect(await offer(offered)).to.include({ userId: one.id });
    expect(await refusal(offer(used))).to.equal('INVALID_CREDENTIALS');
    await byKey(other.username, used);
    const usedTimeOf = async (actor: UserActor) => (await list(actor))[0]?.lastUsedTime;
    // written after the answer, and after what the offer would have written
    await waitUntil('the use of the key', async () => (await usedTimeOf(other.actor)) !== undefined);
    expect(await usedTimeOf(one.actor)).to.equal(undefined);
  });

  it('accepts a registered key for its user only', async () => {
    const owner = await someone();
    const other = await someone();
    const line = newKey();
    const key = await create(owner.actor, line);
    expect(await byKey(owner.username.toUpperCase(), line)).to.include({
      userId: owner.id,
      username: owner.username,
      sshKeyId: key.id,
    });
    expect(await refusal(byKey(other.username, line))).to.equal('INVALID_CREDENTIALS');
    expect(await refusal(byKey(owner.username, newKey()))).to.equal('INVALID_CREDENTIALS');
    expect(await refusal(byKey('nobody', line))).to.equal('INVALID_CREDENTIALS');
  });

  it('accepts the password of an account without a second factor', async () => {
    const { id, username } = await someone();
    expect(await byPassword(username, password)).to.include({ userId: id, sshKeyId: '' });
    for (const wrong of ['', 'wrong password', 'x'.repeat(5_000)])
      expect(await refusal(byPassword(username, wrong))).to.equal('INVALID_CREDENTIALS');
    expect(await refusal(byPassword('nobody', password))).to.equal('INVALID_CREDENTIALS');
  });

  it('accepts only keys once a second factor is on', async () => {
    const { actor, username } = await someone();
    const line = newKey();
    await create(actor, line);
    const { secret } = await harness.account.beginTwoFactor({ password }, harness.as(actor));
    await harness.account.confirmTwoFactor({ code: codeOf(secret) }, harness.as(actor));
    expect(await refusal(byPassword(username, password))).to.equal('INVALID_CREDENTIALS');
    await byKey(username, line);
  });

  it('counts wrong passwords together with those of sign-in', async () => {
    const { id, email, username } = await someone();
    await harness.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: id }, { $set: { knownIps: [] } as never });
    // A busy machine refuses some calls of a burst: repeats them.
    for (let heard = 0; heard <= 50;) {
      const counts = await outcomes(times(51, async () => byPassword(username, 'wrong password')));
      expect(counts.INVALID_CREDENTIALS).to.be.above(0);
      heard += counts.INVALID_CREDENTIALS ?? 0;
    }
    expect(await refusal(byPassword(username, password))).to.equal('INVALID_CREDENTIALS');
    const actorToken = harness.as({ kind: 'anonymous', ip: '203.0.113.9' });
    expect(await refusal(harness.auth.login({ email, password, userAgent: '' }, actorToken))).to.equal(
      'INVALID_CREDENTIALS',
    );
  });

  it('ends a connection when the key is deleted, the password changes or the account is deleted', async () => {
    const { id, actor, username } = await someone();
    const line = newKey();
    const key = await create(actor, line);
    const accepted = await byKey(username, line);
    const { userId, sessionEpoch, sshKeyId } = accepted;
    const continued = async (value = { userId, sessionEpoch, sshKeyId }) =>
      authenticate('', { $case: 'continued', value });
    expect(await continued()).to.deep.equal(accepted);
    expect(await refusal(continued({ userId, sessionEpoch, sshKeyId: randomUUID() }))).to.equal('INVALID_CREDENTIALS');
    const users = harness.mongo.collection<{ _id: string }>('users');
    await users.updateOne({ _id: id }, { $set: { roleId: adminRole.id } as never });
    expect((await continued()).permissions).to.deep.equal(['*']);
    await harness.account.deleteSshKey({ sshKeyId: key.id }, harness.as(actor));
    expect(await refusal(continued())).to.equal('INVALID_CREDENTIALS');
    const withPassword = { userId, sessionEpoch, sshKeyId: '' };
    await continued(withPassword);
    const change = { currentPassword: password, password: 'a new pass phrase' };
    await harness.account.changePassword(change, harness.as(actor));
    expect(await refusal(continued(withPassword))).to.equal('INVALID_CREDENTIALS');
  });

  it('refuses AuthenticateSftp calls by users', async () => {
    const { actor, username } = await someone();
    const proof = { $case: 'password', value: password } as const;
    const call = harness.auth.authenticateSftp({ username, ip: '', proof }, harness.as(actor));
    expect(await refusal(call)).to.equal('SERVICE_REQUIRED');
  });
});

describe('preferences', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness();
  });
  after(async () => harness.stop());

  it('returns an empty object until something is stored, then what was stored, for each user', async () => {
    const one = await session(harness, (await addUser(harness)).email);
    const other = await session(harness, (await addUser(harness)).email);
    const read = async (actor: UserActor) =>
      (await harness.account.getPreferences({}, harness.as(actor))).preferencesJson;
    expect(await read(one.actor)).to.equal('{}');
    const preferencesJson = '{"theme":"dark"}';
    await harness.account.updatePreferences({ preferencesJson }, harness.as(one.actor));
    expect(await read(one.actor)).to.equal(preferencesJson);
    expect(await read(other.actor)).to.equal('{}');
    const broken = harness.account.updatePreferences({ preferencesJson: '[]' }, harness.as(one.actor));
    expect(await refusal(broken)).to.equal('INVALID_FIELDS');
  });
});
