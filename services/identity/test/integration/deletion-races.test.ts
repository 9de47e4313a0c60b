import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import ssh2 from 'ssh2';
import { adminRole } from '../../src/domain/system-roles.js';
import { type FakeServices, startFakeServices } from './fake-services.js';
import { addUser, type Harness, outcomes, refusal, session, startHarness, testEnvironment, times } from './harness.js';

const callers = 50;
/** Concurrent calls exceed a usual deadline on a busy machine. */
const timeoutMs = 50_000;

describe('deletion of a user', function () {
  this.timeout(180_000);
  let harness: Harness;
  let fakeServices: FakeServices;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    const addresses = { ADMIN_ADDRESS: fakeServices.address, SERVERS_ADDRESS: fakeServices.address };
    harness = await startHarness({ env: { ...env, ...addresses } });
  });
  beforeEach(() => {
    fakeServices.whileCounting = async () => undefined;
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  const belongingTo = async (collection: string, userId: string) =>
    harness.mongo
      .collection<{ _id: string; userId?: string }>(collection)
      .countDocuments({ $or: [{ userId }, { _id: userId }] });

  it('leaves no key, no preferences and no session of the user under fifty concurrent callers', async () => {
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
      if (index === callers / 2) return (deletion = harness.user.deleteUser({ userId: user.id, force: false }, admin));
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

  describe('during the creation of a server', () => {
    const remove = async (userId: string) => harness.user.deleteUser({ userId, force: false }, { timeoutMs });
    const exists = async (userId: string) => {
      const counts = await outcomes([harness.user.getUser({ userId }, { timeoutMs })]);
      expect(counts).to.have.any.keys('ok', 'USER_NOT_FOUND');
      return counts.ok === 1;
    };
    const pause = async () => new Promise<void>((resolve) => setImmediate(resolve));
    /** Like the servers service: check owner, store, check owner again. */
    const createServer = async (userId: string, { beforeStore = pause, afterStore = pause } = {}) => {
      if (!(await exists(userId))) return false;
      await beforeStore();
      fakeServices.serversOf.set(userId, 1);
      await afterStore();
      if (await exists(userId)) return true;
      fakeServices.serversOf.delete(userId);
      return false;
    };
    const expectDeleted = async (userId: string) => {
      expect(await exists(userId)).to.equal(false);
      expect(fakeServices.serversOf.has(userId), 'a server without an owner').to.equal(false);
    };

    it('refuses the deletion when the server is stored before the count', async () => {
      const { id } = await addUser(harness);
      let reason = '';
      const afterStore = async () => void (reason = await refusal(remove(id)));
      expect(await createServer(id, { afterStore })).to.equal(true);
      expect(reason).to.equal('USER_OWNS_SERVERS');
      expect(await exists(id)).to.equal(true);
    });

    it('refuses the server when the creation begins during the count', async () => {
      const { id } = await addUser(harness);
      let isCreated = true;
      fakeServices.whileCounting = async () => void (isCreated = await createServer(id));
      await remove(id);
      expect(isCreated).to.equal(false);
      await expectDeleted(id);
    });

    it('takes the server back when it is stored during the count', async () => {
      const { id } = await addUser(harness);
      let count = () => {};
      let deletion: Promise<unknown> = Promise.resolve();
      const counting = new Promise<void>((resolve) => {
        fakeServices.whileCounting = async () => {
          resolve();
          await new Promise<void>((release) => (count = release));
        };
      });
      const beforeStore = async () => {
        deletion = remove(id);
        await counting;
      };
      expect(await createServer(id, { beforeStore })).to.equal(false);
      count();
      await deletion;
      await expectDeleted(id);
    });

    it('takes the server back when it is stored after the deletion', async () => {
      const { id } = await addUser(harness);
      const beforeStore = async () => void (await remove(id));
      expect(await createServer(id, { beforeStore })).to.equal(false);
      await expectDeleted(id);
    });

    it('leaves no server without an owner in any order of both', async () => {
      await Promise.all(
        times(25, async () => {
          const { id } = await addUser(harness);
          const [counts, isCreated] = await Promise.all([outcomes([remove(id)]), createServer(id)]);
          // Both may be refused.
          const isDeleted = counts.ok === 1;
          expect(isDeleted && isCreated, 'a server without an owner').to.equal(false);
          expect(fakeServices.serversOf.has(id)).to.equal(isCreated);
          expect(await exists(id), JSON.stringify(counts)).to.equal(!isDeleted);
        }),
      );
    });
  });
});
