import { randomUUID } from 'node:crypto';
import { ApiError, createPanelClient } from '@panel/client';
import { expect } from 'chai';
import { TestUsers } from '../security/support/users.js';
import { sharedStack } from '../support/shared-stack.js';
import type { SharedStack } from '../support/stack.js';

describe('gift codes over HTTP', function () {
  this.timeout(180_000);
  let test: SharedStack;
  before(async () => {
    test = await sharedStack();
  });

  const refusalOf = async (call: Promise<unknown>): Promise<ApiError> => {
    const error: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiError ? error : expect.fail(`not refused: ${String(error)}`);
  };
  const create = async (body: object, key: string = randomUUID()) =>
    fetch(`${test.stack.baseUrl}/api/v1/admin/billing/gift-codes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${test.admin.token() ?? ''}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
  interface Created {
    readonly data: { readonly gift_codes: readonly { readonly id: string; readonly code: string }[] };
  }

  it('creates a code, redeems it once a customer, lists it with its redeemers and deletes it', async () => {
    const users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
    const { id: userId, token } = await users.signUp();
    const customer = createPanelClient({ baseUrl: test.stack.baseUrl, token });
    const note = `Fair ${randomUUID().slice(0, 8)}`;
    const response = await create({ amount: 1_250, uses: 2, note });
    expect(response.status).to.equal(201);
    const [giftCode] = ((await response.json()) as Created).data.gift_codes;
    const { id = '', code = '' } = giftCode ?? {};
    expect(response.headers.get('location')).to.equal(`/api/v1/admin/billing/gift-codes/${id}`);

    const redeem = { body: { code: code.toLowerCase() }, idempotencyKey: randomUUID() };
    const { data: redeemed } = await customer.post('/billing/gift-codes/redeem', redeem);
    expect([redeemed.balance, redeemed.entry.reason]).to.deep.equal([1_250, `gift: ${note}`]);
    expect((await customer.post('/billing/gift-codes/redeem', redeem)).data).to.deep.equal(redeemed);
    const again = await refusalOf(customer.post('/billing/gift-codes/redeem', { body: { code } }));
    expect([again.status, again.details.reason]).to.deep.equal([409, 'gift_code_redeemed']);
    const wrong = await refusalOf(customer.post('/billing/gift-codes/redeem', { body: { code: `${code}X` } }));
    expect([wrong.status, Object.keys(wrong.fields)]).to.deep.equal([422, ['code']]);
    const { data: credits } = await customer.get('/billing/credits');
    expect([credits.balance, credits.promotional]).to.deep.equal([1_250, 1_250]);

    const { data: listed } = await test.admin.get('/admin/billing/gift-codes', {
      query: { search: note, status: 'redeemable', user_id: userId },
    });
    expect(listed.map((each) => [each.id, each.code, each.uses, each.redeemed])).to.deep.equal([[id, null, 2, 1]]);
    const of = { params: { id } };
    const { data: shown } = await test.admin.get('/admin/billing/gift-codes/{id}', of);
    expect(shown.redemptions.map(({ user_id }) => user_id)).to.deep.equal([userId]);
    await test.admin.delete('/admin/billing/gift-codes/{id}', of);
    expect((await refusalOf(test.admin.get('/admin/billing/gift-codes/{id}', of))).status).to.equal(404);
  });

  it('shows the same 500 codes when a request is repeated, and in its answer only', async () => {
    const key = randomUUID();
    const note = randomUUID();
    const [first, second] = [
      (await (await create({ amount: 5, count: 500, note }, key)).json()) as Created,
      (await (await create({ amount: 5, count: 500, note }, key)).json()) as Created,
    ];
    expect(second).to.deep.equal(first);
    expect(new Set(first.data.gift_codes.map(({ code }) => code)).size).to.equal(500);
    const { data, meta } = await test.admin.get('/admin/billing/gift-codes', { query: { search: note } });
    expect(meta.total).to.equal(500);
    expect(new Set(data.map(({ code }) => code))).to.deep.equal(new Set([null]));
  });
});
