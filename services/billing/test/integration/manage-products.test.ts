import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { type Plan, Plan_Interval, type Product, UpdateProductRequest } from '@panel/protos/billing';
import { expect } from 'chai';
import { presentProduct } from '../../src/present/product.js';
import { type RunningBilling, startTestBilling, userActor } from '../harness.js';
import { productWith } from '../product.js';

describe('the administration of products', () => {
  let billing: RunningBilling;
  const staff = (...permissions: string[]) => ({ actorToken: billing.tokenOf(userActor(permissions)) });
  const request = (change: (product: Product) => void = () => undefined) => {
    const product = presentProduct(productWith());
    change(product);
    return { product };
  };
  const create = async (given = request(), options = staff('billing.create')) =>
    (await billing.products.createProduct(given, options)).product;
  const planOf = ({ plans }: Product): Plan => plans[0] ?? expect.fail('a product without plans');

  before(async () => {
    billing = await startTestBilling();
  });
  after(async () => billing.stop());

  it('creates a product that customers can then buy', async () => {
    const created = await create();
    const { products } = await billing.products.listProducts(
      { page: undefined, includeInactive: false, eggId: '' },
      staff(),
    );
    expect(products.filter(({ id }) => id === created?.id)).to.have.length(1);
  });

  it('sells a metered plan, whose price stands in its rates', async () => {
    const metered = (amountMinor: number) =>
      request((product) => {
        const plan = planOf(product);
        plan.interval = Plan_Interval.METERED;
        plan.price = { amountMinor, currency: 'EUR' };
        plan.usageRates = {
          runningHourMicros: 1,
          memoryGbHourMicros: 1,
          diskGbHourMicros: 1,
          trafficGbMicros: 1,
          monthlyCapMinor: 0,
        };
      });
    expect(await fieldsOf(create(metered(100)))).to.deep.equal(['plans.0.price']);
    expect((await create(metered(0)))?.plans[0]?.usageRates?.runningHourMicros).to.equal(1);
  });

  it('keeps how the servers of a product run, and refuses what no server could be given', async () => {
    const settings = { autoStart: 'always', timezone: 'Europe/Berlin', threads: '0-1', oomDisabled: true };
    const given = (change: object) =>
      request((product) => {
        if (product.server) Object.assign(product.server, { stopGraceSeconds: 60 }, change);
      });
    const created = await create(given(settings));
    expect(created?.server).to.include({ ...settings, stopGraceSeconds: 60 });
    const wrong = { autoStart: 'sometimes', timezone: 'Europe/Nowhere', threads: '0-', stopGraceSeconds: 0 };
    expect(await fieldsOf(create(given(wrong)))).to.have.members([
      'server.auto_start',
      'server.timezone',
      'server.threads',
      'server.stop_grace',
    ]);
    for (const threads of ['5-2', '9999', '0,,1', ' 0'])
      expect(await fieldsOf(create(given({ threads }))), threads).to.deep.equal(['server.threads']);
  });

  it('refuses a product of an egg that does not exist', async () => {
    const gone = request();
    billing.servers.goneEggs.add(gone.product.server?.eggId ?? '');
    expect(await fieldsOf(create(gone))).to.deep.equal(['server.egg_id']);
    expect(await billing.store.get(gone.product.id)).to.equal(null);
    const created = (await create()) ?? expect.fail('no product');
    const change = { productId: created.id, name: 'Renamed', server: gone.product.server };
    const updated = billing.products.updateProduct(
      { ...UpdateProductRequest.create(), ...change },
      staff('billing.update'),
    );
    expect(await fieldsOf(updated)).to.deep.equal(['server.egg_id']);
    expect(await billing.store.get(created.id)).to.include({ name: created.name });
  });

  it('refuses products to change to that do not exist, and keeps those that are gone by now', async () => {
    const target = (await create()) ?? expect.fail('no product');
    const unknown = randomUUID();
    const withUpgrades = (...upgradeProductIds: string[]) => {
      const given = request();
      return { ...given, product: { ...given.product, upgradeProductIds } };
    };
    expect(await fieldsOf(create(withUpgrades(target.id, unknown)))).to.deep.equal(['upgrade_product_ids']);
    const product = (await create(withUpgrades(target.id))) ?? expect.fail('no product');
    await billing.store.delete(target.id);
    const update = async (...ids: string[]) =>
      billing.products.updateProduct(
        { ...UpdateProductRequest.create(), productId: product.id, upgradeProductIds: { productIds: ids } },
        staff('billing.update'),
      );
    expect(await fieldsOf(update(target.id, unknown))).to.deep.equal(['upgrade_product_ids']);
    await update(target.id);
    const coupon = {
      id: '',
      code: 'OF-NO-PRODUCT',
      type: 'TYPE_PERCENT',
      value: 10,
      currency: '',
      productIds: [unknown],
    };
    const created = billing.coupons.createCoupon({ coupon: { ...coupon, uses: 0 } as never }, staff('billing.create'));
    expect(await fieldsOf(created)).to.deep.equal(['product_ids']);
  });

  it('takes a product back whose egg is deleted while it is stored', async () => {
    /** The deletion hides the egg between the two reads of the request. */
    const hiddenAtSecondRead = (eggId: string) => {
      let reads = 0;
      billing.servers.whileReadingEgg = (read) => {
        if (read === eggId && ++reads === 2) billing.servers.goneEggs.add(eggId);
      };
    };
    try {
      const raced = request();
      const eggId = raced.product.server?.eggId ?? '';
      hiddenAtSecondRead(eggId);
      expect(await fieldsOf(create(raced))).to.deep.equal(['server.egg_id']);
      const page = { page: 1, perPage: 10, sort: [], search: '' };
      const { products } = await billing.products.listProducts(
        { page, includeInactive: true, eggId },
        staff('billing.view'),
      );
      expect(products).to.deep.equal([]);

      const created = (await create()) ?? expect.fail('no product');
      const server = { ...created.server, eggId: randomUUID() } as NonNullable<Product['server']>;
      hiddenAtSecondRead(server.eggId);
      const change = { productId: created.id, name: 'Renamed', server };
      const updated = billing.products.updateProduct(
        { ...UpdateProductRequest.create(), ...change },
        staff('billing.update'),
      );
      expect(await fieldsOf(updated)).to.deep.equal(['server.egg_id']);
      const retained = (await billing.store.get(created.id)) ?? expect.fail('no product');
      expect([retained.name, retained.server.eggId]).to.deep.equal([created.name, created.server?.eggId]);
    } finally {
      billing.servers.whileReadingEgg = () => undefined;
    }
  });

  it('refuses a plan in another currency than that of the settings', async () => {
    const foreign = request((product) => {
      planOf(product).price = { amountMinor: 100, currency: 'USD' };
      planOf(product).setupFee = { amountMinor: 0, currency: 'USD' };
    });
    expect(await fieldsOf(create(foreign))).to.include('plans.0.price');
  });

  it('refuses a negative price', async () => {
    const negative = request((product) => {
      planOf(product).price = { amountMinor: -1, currency: 'EUR' };
    });
    expect(await fieldsOf(create(negative))).not.to.deep.equal([]);
  });

  it('refuses callers without billing.create', async () => {
    for (const options of [staff(), staff('billing.view', 'billing.update')]) {
      const error = await create(request(), options).catch((thrown: unknown) => thrown);
      expect(isAppError(error, 'PERMISSION_MISSING')).to.equal(true);
    }
  });
});

/** Of a refused request. */
async function fieldsOf(call: Promise<unknown>): Promise<string[]> {
  try {
    await call;
    return [];
  } catch (error) {
    if (!isAppError(error, 'INVALID_FIELDS')) throw error;
    return Object.keys(error.metadata['fields'] ?? {});
  }
}
