import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import ssh2 from 'ssh2';
import { adminRole } from '../../src/domain/system-roles.js';
import { type FakeServices, startFakeServices } from './fake-services.js';
import { addUser, type Harness, outcomes, session, startHarness, testEnvironment } from './harness.js';

const callers = 50;
/** Fifty concurrent calls exceed a usual deadline on a busy machine. */
const timeoutMs = 50_000;

describe('deletion of a user under fifty concurrent callers', function () {
  this.timeout(180_000);
  let harness: Harness;
  let fakeServices: FakeServices;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    const addresses = { ADMIN_ADDRESS: fakeServices.address, SERVERS_ADDRESS: fakeServices.address };
    harness = await startHarness({ env: { ...env, ...addresses } });
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  const belongingTo = async (collection: string, userId: string) =>
    harness.mongo
      .collection<{ _id: string; userId?: string }>(collection)
      .countDocuments({ $or: [{ userId }, { _id: userId }] });

  it('leaves no key, no preferences and no session of the user', async () => {
    const administrator = await addUser(harness, { roleId: adminRole.id });
    const admin = { ...harness.as((await session(harness, administrator.email)).actor), timeoutMs };
    const user = await addUser(harness);
    const own = { ...harness.as((await session(harness, user.email)).actor), timeoutMs };
    const publicKeys = Array.from(
      { length: callers },
      () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).public,
    );
    let deletion: Promise<unknown> = Promise.resolve();
    const call = async (index: number): Promise<unknown> => {
      if (index === callers / 2) return (deletion = harness.user.deleteUser({ userId: user.id }, admin));
      if (index % 3 === 0) return harness.account.createSshKey({ name: '', publicKey: publicKeys[index] ?? '' }, own);
      if (index % 3 === 1) return harness.account.updatePreferences({ preferencesJson: `{"a":${index}}` }, own);
      const terms = { description: 'raced', allowedIps: [], permissions: undefined, expireTime: undefined };
      return harness.account.createApiKey(terms, own);
    };
    const counts = await outcomes(Array.from({ length: callers }, async (_, index) => call(index)));
    await deletion;
    expect(Object.keys(counts)).to.include.members(['ok']);
    for (const collection of ['users', 'api_keys', 'ssh_keys', 'preferences', 'sessions'])
      expect(await belongingTo(collection, user.id), collection).to.equal(0);
  });
});
