import { randomUUID } from 'node:crypto';
import { CreateGiftCodesRequest, GiftCodeServiceService } from '@panel/protos/billing';
import { expect } from 'chai';
import { createGiftCodes } from '../../src/usecases/gift-codes/create-gift-codes.js';
import { redeemGiftCode } from '../../src/usecases/gift-codes/redeem-gift-code.js';
import type { BillingProcess } from '../billing-process.js';
import { newUserId } from '../harness.js';
import { findBrokenInvariants } from '../invariants.js';
import { type KilledBilling, startKilledBilling } from '../killed-billing.js';

describe('gift codes of a billing service that is killed', function () {
  this.timeout(180_000);
  let killed: KilledBilling;
  let { replica, setTime } = {} as KilledBilling;

  beforeEach(async () => {
    killed = await startKilledBilling();
    ({ replica, setTime } = killed);
  });
  afterEach(async () => killed.stop());

  const terms = { amountMinor: 700, currency: '', uses: 2, expiresAt: null, note: '', code: '' };
  const creation = () => ({ idempotencyId: randomUUID(), idempotencySeed: randomUUID() });

  /** Calls a process that dies at the point. */
  const callKilled = async (
    point: string,
    call: (client: ReturnType<typeof clientOf>) => Promise<unknown>,
  ): Promise<void> => {
    const billing = await killed.startProcess(point);
    const client = clientOf(billing);
    await Promise.allSettled([call(client)]);
    expect(await billing.ended()).to.equal('SIGKILL');
    client.connection.close();
  };
  const clientOf = (billing: BillingProcess) => {
    const { connection, as } = killed.connectTo(billing);
    return { connection, as, giftCodes: connection.client(GiftCodeServiceService) };
  };
  const balanceOf = async (user: string) => replica.context.credits.balance(user, 'EUR');

  for (const point of ['gift.taken', 'gift.posted']) {
    it(`gives the credits of a code once when killed at ${point}`, async () => {
      const [giftCode] = await createGiftCodes(replica.context, { ...terms, count: 1 }, creation());
      const { id = '', code = '' } = giftCode ?? {};
      const user = newUserId();
      await callKilled(point, async ({ giftCodes, as }) =>
        giftCodes.redeemGiftCode({ code }, as(user, [], randomUUID())),
      );
      expect((await replica.context.giftCodes.get(id))?.redemptions.map(({ openSince }) => !!openSince)).to.deep.equal([
        true,
      ]);
      expect(await balanceOf(user)).to.equal(point === 'gift.taken' ? 0 : 700);
      // Deleted meanwhile: what was taken is given all the same.
      await replica.context.giftCodes.delete(id, killed.now());
      setTime(new Date(Date.now() + 6_000));
      await replica.runUntilIdle();
      expect(await balanceOf(user)).to.equal(700);
      await replica.runUntilIdle();
      expect(await balanceOf(user)).to.equal(700);
      expect(await findBrokenInvariants(replica.context, replica.mongo, [])).to.deep.equal([]);
    });

    it(`finishes a redemption that was killed at ${point} when its customer asks again`, async () => {
      const [giftCode] = await createGiftCodes(replica.context, { ...terms, count: 1 }, creation());
      const code = giftCode?.code ?? '';
      const user = newUserId();
      await callKilled(point, async ({ giftCodes, as }) =>
        giftCodes.redeemGiftCode({ code }, as(user, [], randomUUID())),
      );
      const { entry, balanceMinor } = await redeemGiftCode(replica.context, { userId: user, code }, randomUUID());
      expect([entry.amountMinor, balanceMinor]).to.deep.equal([700, 700]);
      await replica.runUntilIdle();
      expect(await findBrokenInvariants(replica.context, replica.mongo, [])).to.deep.equal([]);
    });
  }

  it('shows the codes of a creation that was killed before its answer to its repetition', async () => {
    const staff = newUserId();
    const request = CreateGiftCodesRequest.create({ count: 20, uses: 1, amount: { amountMinor: 5, currency: '' } });
    const idempotencyId = randomUUID();
    await callKilled('gift.created', async ({ giftCodes, as }) =>
      giftCodes.createGiftCodes(request, as(staff, ['billing.create'], idempotencyId)),
    );
    const collection = replica.mongo.collection('gift_codes');
    expect(await collection.countDocuments()).to.equal(20);
    // As if it had died in the middle of its write.
    await collection.deleteMany({ _id: { $in: (await collection.find().limit(7).toArray()).map(({ _id }) => _id) } });
    const billing = await killed.startProcess('none');
    const { giftCodes, as, connection } = clientOf(billing);
    const { giftCodes: created } = await giftCodes.createGiftCodes(
      request,
      as(staff, ['billing.create'], idempotencyId),
    );
    connection.close();
    await billing.kill();
    expect(await collection.countDocuments()).to.equal(20);
    expect(new Set(created.map(({ code }) => code)).size).to.equal(20);
    const user = newUserId();
    for (const { code } of created) await redeemGiftCode(replica.context, { userId: user, code });
    expect(await balanceOf(user)).to.equal(100);
  });
});
