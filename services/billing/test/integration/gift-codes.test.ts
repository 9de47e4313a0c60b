import { randomUUID } from 'node:crypto';
import { CreateGiftCodesRequest, ListGiftCodesRequest, ListGiftCodesRequest_Status } from '@panel/protos/billing';
import { expect } from 'chai';
import { compareCredits } from '../../src/reconciliation/compare-credits.js';
import { days, fieldsOf, newUserId, problemsOf, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';

const { EXPIRED, REDEEMABLE, USED_UP } = ListGiftCodesRequest_Status;

describe('gift codes', function () {
  this.timeout(120_000);
  let billing: RunningBilling;
  let staff: ReturnType<RunningBilling['as']>;
  before(async () => {
    billing = await startTestBilling();
    staff = billing.as(newUserId(), ['billing.create', 'billing.view', 'billing.delete']);
  });
  after(async () => {
    await billing.checkInvariants();
    await billing.stop();
  });

  const amount = { amountMinor: 1_500, currency: '' };
  const create = async (terms: Partial<CreateGiftCodesRequest> = {}, options = staff) => {
    const request = CreateGiftCodesRequest.create({ count: 1, uses: 1, amount, note: 'Summer fair', ...terms });
    return (await billing.giftCodes.createGiftCodes(request, options)).giftCodes;
  };
  const createOne = async (terms: Partial<CreateGiftCodesRequest> = {}) => {
    const [created] = await create(terms);
    if (!created) throw new Error('no code was created');
    return created;
  };
  const redeem = async (user: string, code: string, id: string = randomUUID()) =>
    billing.giftCodes.redeemGiftCode({ code }, billing.as(user, [], id));
  const balanceOf = async (user: string) => billing.context.credits.balance(user, 'EUR');
  const list = async (filter: Partial<ListGiftCodesRequest>) =>
    billing.giftCodes.listGiftCodes(ListGiftCodesRequest.create(filter), staff);
  /** As if it had never been posted. */
  const forget = async (entryId: string, userId: string) => {
    await billing.mongo.collection('credit_ledger').deleteOne({ _id: entryId as never });
    await billing.mongo.collection('journal').deleteOne({ documentId: entryId });
    const lots: object = { lots: { id: entryId } };
    await billing.mongo
      .collection('credit_accounts')
      .updateOne({ userId }, { $inc: { balanceMinor: -1_500, version: 1 }, $pull: lots });
  };
  const search = (text: string) => ({ page: { page: 1, perPage: 100, sort: [], search: text } });

  it('gives the credits of a code as a promotion with its note, and says the balance', async () => {
    const user = newUserId();
    await billing.grant(user, 100);
    const { id, code } = await createOne();
    const { entry, balance } = await redeem(user, ` ${code.toLowerCase().replaceAll('-', ' ')} `);
    expect(balance).to.deep.include({ amountMinor: 1_600, currency: 'EUR' });
    expect(entry).to.deep.include({ reason: 'gift: Summer fair', reference: id });
    expect(entry?.amount?.amountMinor).to.equal(1_500);
    const credits = await billing.credits.getCredits({ userId: '' }, billing.as(user));
    expect(credits.promotional?.amountMinor).to.equal(1_600);
    const account = await billing.mongo.collection('credit_accounts').findOne({ userId: user });
    expect(account?.lots[1]).to.deep.include({ source: 'promotion', reference: '', amountMinor: 1_500 });
    await billing.runJobs('drain-ledger');
    const written = await billing.mongo.collection('journal').findOne({ documentId: entry?.id ?? '' });
    expect(written?.lines).to.deep.include({ account: 'promotion', amountMinor: 1_500 });
  });

  it('stores no code, and shows it once', async () => {
    const { id, code } = await createOne();
    expect(code).to.have.length(19);
    const stored = JSON.stringify(await billing.mongo.collection('gift_codes').findOne({ _id: id as never }));
    expect(stored).not.to.include(code);
    expect(stored).not.to.include(code.replaceAll('-', ''));
    expect((await billing.giftCodes.getGiftCode({ giftCodeId: id }, staff)).giftCode?.code).to.equal('');
    expect((await list(search(code))).giftCodes.map((each) => [each.id, each.code])).to.deep.equal([[id, '']]);
    await billing.runUntilIdle();
    const events = JSON.stringify([...billing.activity.events.values()]);
    expect(events).to.include(id);
    expect(events).not.to.include(code);
  });

  it('creates 500 different codes with one request, and the same again when it is repeated', async () => {
    const options = billing.as(newUserId(), ['billing.create'], randomUUID());
    const note = randomUUID();
    const created = await create({ count: 500, note }, options);
    expect(new Set(created.map(({ code }) => code)).size).to.equal(500);
    expect(await create({ count: 500, note }, options)).to.deep.equal(created);
    expect((await list(search(note))).page?.total).to.equal(500);
  });

  it('shows neither a code that was deleted nor another one to a repeated creation', async () => {
    const options = billing.as(newUserId(), ['billing.create'], randomUUID());
    const [created] = await create({}, options);
    const filter = { _id: created?.id as never };
    const codeHash = (await billing.context.giftCodes.get(created?.id ?? ''))?.codeHash;
    await billing.mongo.collection('gift_codes').updateOne(filter, { $set: { codeHash: 'of another secret' } });
    expect(await reasonOf(create({}, options))).to.equal('GIFT_CODES_UNRECOVERABLE');
    await billing.mongo.collection('gift_codes').updateOne(filter, { $set: { codeHash } });
    await billing.giftCodes.deleteGiftCode({ giftCodeId: created?.id ?? '' }, staff);
    expect(await reasonOf(create({}, options))).to.equal('CREATION_DELETED');
  });

  it('takes a code that staff name, once, however it is written', async () => {
    const code = `Fair-${randomUUID().slice(0, 8)}`;
    await createOne({ code });
    expect(await reasonOf(create({ code: code.toUpperCase().replace('-', '_') }))).to.equal('GIFT_CODE_TAKEN');
    const user = newUserId();
    await redeem(user, code.toUpperCase());
    expect(await balanceOf(user)).to.equal(1_500);
  });

  it('refuses codes, counts, amounts, uses, times and notes that do not fit, and creates nothing', async () => {
    const count = await billing.mongo.collection('gift_codes').countDocuments();
    const refused: [Partial<CreateGiftCodesRequest>, string][] = [
      [{ code: 'SHORT-1' }, 'code'],
      [{ code: 'a code of words' }, 'code'],
      [{ code: 'x'.repeat(51) }, 'code'],
      [{ code: 'TWO-OF-THEM-1', count: 2 }, 'count'],
      [{ count: 0 }, 'count'],
      [{ count: 501 }, 'count'],
      [{ amount: { amountMinor: 0, currency: '' } }, 'amount'],
      [{ amount: { amountMinor: -1, currency: '' } }, 'amount'],
      [{ amount: { amountMinor: 1_000_000_001, currency: '' } }, 'amount'],
      [{ amount: { amountMinor: 5, currency: 'USD' } }, 'amount'],
      [{ uses: 0 }, 'uses'],
      [{ uses: 1_001 }, 'uses'],
      [{ expireTime: billing.now() }, 'expires_at'],
      [{ note: 'x'.repeat(201) }, 'note'],
      [{ note: 'two\nlines' }, 'note'],
    ];
    for (const [terms, field] of refused)
      expect([terms, await fieldsOf(create(terms))]).to.deep.equal([terms, [field]]);
    expect(await billing.mongo.collection('gift_codes').countDocuments()).to.equal(count);
  });

  it('gives a code with 5 uses to 5 of 50 customers', async () => {
    const { id, code } = await createOne({ uses: 5 });
    const users = Array.from({ length: 50 }, newUserId);
    const results = await Promise.allSettled(users.map(async (user) => redeem(user, code)));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
    const balances = await Promise.all(users.map(balanceOf));
    expect(balances.filter((balance) => balance === 1_500)).to.have.length(5);
    expect(balances.filter((balance) => balance === 0)).to.have.length(45);
    const { giftCode } = await billing.giftCodes.getGiftCode({ giftCodeId: id }, staff);
    expect(giftCode?.redeemed).to.equal(5);
    const redeemers = users.filter((_, index) => balances[index] === 1_500);
    expect(giftCode?.redemptions.map(({ userId }) => userId)).to.have.members(redeemers);
    expect(giftCode?.redemptions.map(({ redeemTime }) => redeemTime)).to.deep.equal(Array(5).fill(billing.now()));
  });

  it('gives a customer who redeems a code 50 times at once its credits once', async () => {
    const { id, code } = await createOne({ uses: 50 });
    const user = newUserId();
    const results = await Promise.all(Array.from({ length: 50 }, async () => reasonOf(redeem(user, code))));
    expect(results).to.include(null);
    expect(await balanceOf(user)).to.equal(1_500);
    expect((await billing.giftCodes.getGiftCode({ giftCodeId: id }, staff)).giftCode?.redeemed).to.equal(1);
    expect(await reasonOf(redeem(user, code))).to.be.oneOf(['GIFT_CODE_REDEEMED', 'RATE_LIMIT_EXCEEDED']);
  });

  it('answers a repeated request with the same entry, and another one with GIFT_CODE_REDEEMED', async () => {
    const { code } = await createOne({ uses: 2 });
    const user = newUserId();
    const request = randomUUID();
    const first = await redeem(user, code, request);
    expect(await redeem(user, code, request)).to.deep.equal(first);
    expect(await reasonOf(redeem(user, code))).to.equal('GIFT_CODE_REDEEMED');
    expect(await balanceOf(user)).to.equal(1_500);
  });

  it('refuses a wrong, expired, used up and deleted code with one text', async () => {
    const usedUp = await createOne();
    await redeem(newUserId(), usedUp.code);
    const expired = await createOne({ expireTime: new Date(billing.now().getTime() + days(1)) });
    billing.advance(days(1));
    const deleted = await createOne();
    await billing.giftCodes.deleteGiftCode({ giftCodeId: deleted.id }, staff);
    const codes = [usedUp.code, expired.code, deleted.code, 'NO-SUCH-CODE-AT-ALL', 'x', 'deleted:'];
    const answers = await Promise.all(codes.map(async (code) => problemsOf(redeem(newUserId(), code))));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).to.have.property('size', 1);
    expect(answers[0]).to.have.length(1);
  });

  it('bounds guesses together with those of coupons, and gives right ones back', async () => {
    const user = newUserId();
    const { code } = await createOne({ uses: 100 });
    for (let guess = 0; guess < 5; guess++)
      await reasonOf(billing.carts.applyCoupon({ code: 'NO-SUCH-COUPON' }, billing.as(user)));
    for (let guess = 0; guess < 4; guess++) await reasonOf(redeem(user, 'NO-SUCH-GIFT-CODE'));
    expect(await reasonOf(redeem(user, code))).to.equal(null);
    expect(await reasonOf(redeem(user, code))).to.equal('GIFT_CODE_REDEEMED');
    expect(await reasonOf(redeem(user, 'NO-SUCH-GIFT-CODE'))).to.equal('INVALID_FIELDS');
    const other = await createOne();
    expect(await reasonOf(redeem(user, other.code))).to.equal('RATE_LIMIT_EXCEEDED');
    expect(await balanceOf(user)).to.equal(1_500);
    billing.advance(10 * 60_000);
    expect(await reasonOf(redeem(user, other.code))).to.equal(null);
  });

  it('pays a debt first, and never gives more than the rest back to a card', async () => {
    const user = newUserId();
    const owed = { id: randomUUID(), userId: user, currency: 'EUR', amountMinor: -400, reason: 'usage' as const };
    const rest = { note: '', reference: randomUUID(), createdAt: billing.now() };
    await billing.context.credits.post({ ...owed, ...rest, reason: 'dispute' }, { mayOwe: true });
    const { code } = await createOne();
    expect((await redeem(user, code)).balance?.amountMinor).to.equal(1_100);
    expect(await billing.context.credits.holdings(user, 'EUR')).to.deep.equal({
      balanceMinor: 1_100,
      promotionalMinor: 1_100,
    });
  });

  it('lists codes by status, customer and note, in pages', async () => {
    const note = `list ${randomUUID()}`;
    const user = newUserId();
    const usedUp = await createOne({ note });
    await redeem(user, usedUp.code);
    billing.advance(1);
    const open = await createOne({ note, uses: 2 });
    await redeem(user, open.code);
    billing.advance(1);
    const expired = await createOne({ note, expireTime: new Date(billing.now().getTime() + 1_000) });
    billing.advance(1_000);
    const idsOf = async (filter: Partial<ListGiftCodesRequest>) =>
      (await list({ ...search(note), ...filter })).giftCodes.map(({ id }) => id);
    expect(await idsOf({})).to.deep.equal([usedUp.id, open.id, expired.id]);
    expect(await idsOf({ status: REDEEMABLE })).to.deep.equal([open.id]);
    expect(await idsOf({ status: USED_UP })).to.deep.equal([usedUp.id]);
    expect(await idsOf({ status: EXPIRED })).to.deep.equal([expired.id]);
    expect(await idsOf({ userId: user })).to.deep.equal([usedUp.id, open.id]);
    expect(await idsOf({ userId: newUserId() })).to.deep.equal([]);
    const second = { page: 2, perPage: 2, sort: ['-created_at'], search: note };
    const paged = await list({ page: second });
    expect(paged.giftCodes.map(({ id, redemptions }) => [id, redemptions])).to.deep.equal([[usedUp.id, []]]);
    expect(paged.page?.total).to.equal(3);
  });

  it('reports credits of a gift code that was not redeemed, of another amount or of no gift code', async () => {
    const redeemer = newUserId();
    const giftCode = await createOne();
    await redeem(redeemer, giftCode.code);
    const stranger = newUserId();
    const entry = { userId: stranger, currency: 'EUR', amountMinor: 1_500, reason: 'gift' as const, note: '' };
    const forged = [
      { ...entry, id: randomUUID(), reference: giftCode.id },
      { ...entry, id: randomUUID(), reference: randomUUID() },
      { ...entry, id: randomUUID(), reference: giftCode.id, userId: redeemer },
    ];
    for (const each of forged) await billing.context.credits.post({ ...each, createdAt: billing.now() });
    const other = await createOne();
    const posted = (await redeem(redeemer, other.code)).entry?.id ?? '';
    const filter = { _id: other.id as never };
    await billing.mongo.collection('gift_codes').updateOne(filter, { $set: { amountMinor: 1 } });
    await billing.runJobs('drain-ledger');
    const findings = await compareCredits(billing.context, new AbortController().signal);
    const ids = [...forged.map(({ id }) => id), posted];
    expect(findings.map(({ kind, reference }) => [kind, reference])).to.have.deep.members(
      ids.map((id) => ['credit_without_payment', id]),
    );
    await billing.mongo.collection('gift_codes').updateOne(filter, { $set: { amountMinor: 1_500 } });
    for (const { id, userId } of forged) await forget(id, userId);
  });

  it('deletes a code once, keeps what was redeemed, and frees the code', async () => {
    const code = `Again-${randomUUID().slice(0, 8)}`;
    const { id } = await createOne({ code, uses: 2 });
    const user = newUserId();
    await redeem(user, code);
    await billing.giftCodes.deleteGiftCode({ giftCodeId: id }, staff);
    expect(await reasonOf(billing.giftCodes.deleteGiftCode({ giftCodeId: id }, staff))).to.equal('GIFT_CODE_NOT_FOUND');
    expect(await reasonOf(billing.giftCodes.getGiftCode({ giftCodeId: id }, staff))).to.equal('GIFT_CODE_NOT_FOUND');
    expect(await balanceOf(user)).to.equal(1_500);
    await createOne({ code });
    await redeem(user, code);
    expect(await balanceOf(user)).to.equal(3_000);
  });

  it('records who created, deleted and redeemed codes', async () => {
    const { id, code } = await createOne();
    const user = newUserId();
    await redeem(user, code);
    await billing.giftCodes.deleteGiftCode({ giftCodeId: id }, staff);
    await billing.runUntilIdle();
    const events = [...billing.activity.events.values()]
      .filter(({ properties }) => properties['id'] === id)
      .map(({ event, userId, properties }) => [event, userId, properties['amount']]);
    expect(events).to.have.deep.members([
      ['billing:gift-code.create', '', '1500 EUR'],
      ['billing:gift-code.redeem', user, '1500 EUR'],
      ['billing:gift-code.delete', '', undefined],
    ]);
  });
});
