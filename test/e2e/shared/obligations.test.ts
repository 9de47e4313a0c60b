import { randomUUID } from 'node:crypto';
import { ApiError } from '@panel/client';
import { expect } from 'chai';
import { readEgg } from '@panel/stack';
import { TestUsers } from '../security/support/users.js';
import { importEgg } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import type { SharedStack } from '../support/stack.js';

const callers = 50;

describe('what is sold, and who has bought', function () {
  this.timeout(180_000);
  let test: SharedStack;
  const products: string[] = [];
  before(async () => {
    test = await sharedStack();
  });
  after(async () => {
    for (const id of products) await test.admin.delete('/admin/billing/products/{id}', { params: { id } });
  });

  const refusalOf = async (call: Promise<unknown>): Promise<ApiError> => {
    const error: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiError ? error : expect.fail(`not refused: ${String(error)}`);
  };
  const newEgg = async () => importEgg(test.admin, readEgg('lantern-caverns'));
  const deleteEgg = async (id: string) => test.admin.delete('/admin/eggs/{id}', { params: { id } });
  const sell = async (eggId: string) => {
    const [sold] = (await test.admin.get('/store/products')).data;
    if (!sold?.server) throw new Error('the shop sells nothing');
    const { id: _id, created_at: _created, updated_at: _updated, ...rest } = sold;
    const slug = `sold-${randomUUID()}`;
    const plans = [{ name: 'Monthly', price: 499 }];
    const server = { ...sold.server, egg_id: eggId };
    const { data } = await test.admin.post('/admin/billing/products', {
      body: { ...rest, name: slug, slug, plans, server },
    });
    products.push(data.id);
    return data;
  };

  it('keeps an egg while a product sells it, and says which', async () => {
    const eggId = await newEgg();
    const product = await sell(eggId);
    const refused = await refusalOf(deleteEgg(eggId));
    expect([refused.status, refused.details.reason]).to.deep.equal([409, 'egg_in_use']);
    expect(refused.details.products).to.deep.equal([product.name]);
    const gone = { params: { id: product.id } };
    await test.admin.delete('/admin/billing/products/{id}', gone);
    products.pop();
    await deleteEgg(eggId);
    const unsold = await refusalOf(sell(eggId));
    expect(Object.keys(unsold.fields)).to.deep.equal(['server.egg_id']);
  });

  it('leaves no product of a deleted egg under fifty callers that create and delete', async () => {
    const eggId = await newEgg();
    await Promise.all(
      Array.from({ length: callers }, async (_, index) =>
        (index % 4 === 3 ? sell(eggId) : deleteEgg(eggId)).then(
          () => undefined,
          (error: unknown) => {
            if (!(error instanceof ApiError) || ![404, 409, 422].includes(error.status)) throw error;
          },
        ),
      ),
    );
    const query = { egg_id: eggId, per_page: 100 };
    const sold = (await test.admin.get('/admin/billing/products', { query })).data;
    const egg = await test.admin.get('/admin/eggs/{id}', { params: { id: eggId } }).catch((error: unknown) => error);
    if (egg instanceof ApiError) expect(sold).to.deep.equal([]);
    else expect(sold.length, 'an egg that all deletions left').to.be.above(0);
  });

  it('deletes a user with credits only when told to by force', async () => {
    const users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
    const { id, email } = await users.signUp();
    const params = { id };
    const amount = { amount: 1250, currency: 'EUR' };
    await test.admin.post('/admin/users/{id}/credits', { params, body: { amount, reason: 'test' } });
    const refused = await refusalOf(test.admin.delete('/admin/users/{id}', { params }));
    expect([refused.status, refused.details.reason]).to.deep.equal([409, 'user_has_obligations']);
    expect(refused.details).to.deep.include({ credits: [amount], open_invoices_count: 0, active_services_count: 0 });
    expect(refused.message).to.include('EUR 12.50');
    expect((await test.admin.get('/admin/users/{id}', { params })).data.email).to.equal(email);
    await test.admin.delete('/admin/users/{id}', { params, query: { force: 'true' } });
    expect((await refusalOf(test.admin.get('/admin/users/{id}', { params }))).status).to.equal(404);
  });
});
