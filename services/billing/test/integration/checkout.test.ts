import { randomUUID } from 'node:crypto';
import { CheckoutRequest, Invoice_Kind, Invoice_Status, Order_Status, Service_Status } from '@panel/protos/billing';
import { RunSettings_AutoStart } from '@panel/protos/servers';
import { expect } from 'chai';
import { fulfilOrder } from '../../src/fulfilment/fulfil-order.js';
import { voidInvoice } from '../../src/invoicing/void-invoice.js';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import { fieldsOf, newUserId, problemsOf, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';
import { productWith } from '../product.js';

describe('Checkout', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  before(async () => {
    billing = await startTestBilling();
  });
  afterEach(async () => billing.checkInvariants());
  after(async () => billing.stop());

  const buy = async (userId: string, productId: string, request: Partial<CheckoutRequest> = {}, key?: string) =>
    billing.orders.checkout(
      CheckoutRequest.create({
        paymentMethod: 'credits',
        items: [{ productId, planId: '', quantity: 1, config: undefined }],
        ...request,
      }),
      billing.as(userId, [], key),
    );
  const balanceOf = async (userId: string) =>
    (await billing.credits.getCredits({ userId: '' }, billing.as(userId))).balance?.amountMinor;

  it('buys the cart with credits and creates one server', async () => {
    const user = newUserId();
    const settings = { autoStart: 'always', timezone: 'Europe/Berlin', threads: '0-1' } as const;
    const product = await billing.sell({ server: { ...productWith().server, ...settings } });
    await billing.grant(user, 1000);
    const item = {
      productId: product.id,
      planId: '',
      quantity: 1,
      config: { serverName: 'Mine', environment: { A: 'b' } },
    };
    const { cart } = await billing.carts.addCartItem(item, billing.as(user));
    expect(cart?.total?.amountMinor).to.equal(499);
    const due = billing.now();
    due.setUTCMonth(due.getUTCMonth() + 1);
    const bought = await billing.orders.checkout(
      CheckoutRequest.create({ paymentMethod: 'credits' }),
      billing.as(user),
    );
    expect(bought.order?.status).to.be.oneOf([Order_Status.PAID, Order_Status.COMPLETED]);
    expect(bought.invoice?.status).to.equal(Invoice_Status.PAID);
    expect(bought.invoice?.number).to.match(/^INV-\d{6}$/);
    expect(bought.services).to.have.length(1);
    expect(await balanceOf(user)).to.equal(501);
    expect((await billing.carts.getCart({}, billing.as(user))).cart?.items).to.deep.equal([]);
    await billing.runUntilIdle();
    const { service } = await billing.services.getService(
      { serviceId: bought.services[0]?.id ?? '' },
      billing.as(user),
    );
    expect(service?.status).to.equal(Service_Status.ACTIVE);
    expect(service?.nextDueTime?.toISOString()).to.equal(due.toISOString());
    const server = billing.servers.servers.get(service?.serverId ?? '');
    expect(server?.request).to.include({ name: 'Mine', userId: user, externalId: service?.id });
    expect(server?.request.environment).to.deep.equal({ A: 'b' });
    expect(server?.request.runSettings).to.include({ ...settings, autoStart: RunSettings_AutoStart.ALWAYS });
    const { order } = await billing.orders.getOrder({ orderId: bought.order?.id ?? '' }, billing.as(user));
    expect(order?.status).to.equal(Order_Status.COMPLETED);
  });

  for (const status of ['active', 'terminated']) {
    it(`completes an order after the answer to the write that made its service ${status} was lost`, async () => {
      const user = newUserId();
      await billing.grant(user, 1000);
      const product = await billing.sell();
      const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
      const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
      const bought = await billing.orders.checkout(request, billing.as(user));
      await billing.runUntilIdle();
      const orderId = bought.order?.id ?? '';
      const rows = (name: string) => billing.mongo.collection<{ _id: string }>(name);
      await rows('orders').updateOne({ _id: orderId }, { $set: { status: 'paid' } });
      const id = bought.services[0]?.id ?? '';
      const unitsDue = status === 'terminated' ? [{ id, productId: product.id }] : [];
      const due = { status, unitsDue, 'sync.dueAt': new Date(0), 'sync.leaseUntil': null };
      await rows('subscriptions').updateOne({ _id: id }, { $set: due });
      await billing.runUntilIdle();
      const { order } = await billing.orders.getOrder({ orderId }, billing.as(user));
      expect(order?.status).to.equal(Order_Status.COMPLETED);
    });
  }

  it('returns the units of an order that is cancelled while the rest of it is still being made', async () => {
    const user = newUserId();
    const product = await billing.sell({ stock: 5, perUserLimit: 3 });
    const buyUnits = async (quantity: number) =>
      buy(user, product.id, {
        paymentMethod: 'manual',
        items: [{ productId: product.id, planId: '', quantity, config: undefined }],
      });
    const { order, invoice } = await buyUnits(2);
    const { context } = billing;
    const placed = await context.orders.get(order?.id ?? '');
    if (!placed) throw new Error('there is no order');
    const removeBought: typeof context.carts.removeBought = async (...call) => {
      await voidInvoice(context, invoice?.id ?? '');
      return context.carts.removeBought(...call);
    };
    // like another process that finds unfinished work
    await fulfilOrder({ ...context, carts: { ...context.carts, removeBought } }, placed);
    billing.advance(60_000);
    await billing.runUntilIdle();
    expect((await context.orders.get(placed.id))?.status).to.equal('cancelled');
    expect((await context.products.get(product.id))?.stock).to.equal(5);
    await buyUnits(3);
  });

  it('refuses an empty cart, an unknown method, and credits that are not enough, and charges nothing', async () => {
    const user = newUserId();
    const product = await billing.sell({ stock: 5 });
    expect(
      await fieldsOf(billing.orders.checkout(CheckoutRequest.create({ paymentMethod: 'credits' }), billing.as(user))),
    ).to.deep.equal(['cart']);
    expect(await fieldsOf(buy(user, product.id, { paymentMethod: 'iou' }))).to.deep.equal(['payment_method']);
    expect(await fieldsOf(buy(user, product.id))).to.deep.equal(['credits']);
    expect((await billing.context.products.get(product.id))?.stock).to.equal(5);
    expect(await balanceOf(user)).to.equal(0);
  });

  for (const quantity of [0, -1, 21, 2_147_483_647]) {
    it(`refuses the quantity ${quantity}`, async () => {
      const product = await billing.sell();
      const items = [{ productId: product.id, planId: '', quantity, config: undefined }];
      expect(await fieldsOf(buy(newUserId(), product.id, { items }))).to.deep.equal(['items.0.quantity']);
    });
  }

  it('answers a repeated request with the same order, and charges once', async () => {
    const [user, key] = [newUserId(), randomUUID()];
    const product = await billing.sell();
    await billing.grant(user, 2000);
    const answers = await Promise.allSettled(Array.from({ length: 20 }, async () => buy(user, product.id, {}, key)));
    const ids = new Set(answers.flatMap((a) => (a.status === 'fulfilled' ? [a.value.order?.id] : [])));
    expect(ids.size).to.equal(1);
    expect((await buy(user, product.id, {}, key)).order?.id).to.equal([...ids][0]);
    expect(await balanceOf(user)).to.equal(2000 - 499);
  });

  it('buys one state of a cart once, however many requests there are', async () => {
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 499 * 20);
    await billing.carts.addCartItem(
      { productId: product.id, planId: '', quantity: 1, config: undefined },
      billing.as(user),
    );
    const attempts = Array.from({ length: 20 }, async () =>
      billing.orders.checkout(CheckoutRequest.create({ paymentMethod: 'credits' }), billing.as(user)),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await balanceOf(user)).to.equal(499 * 19);
  });

  it('gives 50 parallel checkouts with credit for 10 exactly 10 orders and a balance of 0', async () => {
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 4990);
    const results = await Promise.allSettled(Array.from({ length: 50 }, async () => buy(user, product.id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(10);
    expect(await balanceOf(user)).to.equal(0);
    await billing.runUntilIdle();
    const { page } = await billing.services.listServices(
      { page: undefined, scope: 'SCOPE_OWN' as never, status: 'STATUS_ACTIVE' as never, userId: '' },
      billing.as(user),
    );
    expect(page?.total).to.equal(10);
  });

  it('keeps every one of 50 grants that two replicas post at once', async () => {
    const user = newUserId();
    const { credits } = billing.context;
    const entry = { userId: user, currency: 'EUR', amountMinor: 1, reason: 'grant', note: '', reference: '' } as const;
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        index % 2
          ? billing.grant(user, 1)
          : expect(await credits.post({ ...entry, id: randomUUID(), createdAt: billing.now() })).to.equal('posted'),
      ),
    );
    expect(await credits.balance(user, 'EUR')).to.equal(50);
    await billing.checkInvariants();
  });

  it('sells the last 5 in stock to 5 of 50, and takes nothing from the others', async () => {
    const product = await billing.sell({ stock: 5 });
    const users = Array.from({ length: 50 }, newUserId);
    for (const user of users) await billing.grant(user, 499);
    const results = await Promise.allSettled(users.map(async (user) => buy(user, product.id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
    expect((await billing.context.products.get(product.id))?.stock).to.equal(0);
    const balances = await Promise.all(users.map(balanceOf));
    expect(balances.filter((balance) => balance === 499)).to.have.length(45);
  });

  it('redeems a coupon with 5 uses 5 times for 50 customers', async () => {
    const product = await billing.sell();
    const staff = billing.as(newUserId(), ['billing.create']);
    const code = `FIVE-${randomUUID().slice(0, 8)}`;
    const coupon = { id: '', code, type: 'TYPE_PERCENT' as never, value: 100, currency: '', productIds: [], uses: 0 };
    const created = await billing.coupons.createCoupon({ coupon: { ...coupon, maxUses: 5 } as never }, staff);
    const users = Array.from({ length: 50 }, newUserId);
    const results = await Promise.allSettled(
      users.map(async (user) => buy(user, product.id, { couponCode: code.toLowerCase() })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
    expect((await billing.context.coupons.get(created.coupon?.id ?? ''))?.uses).to.equal(5);
  });

  it('refuses variables that the egg refuses, in the cart and at the checkout, and sells while it cannot ask', async () => {
    const user = newUserId();
    await billing.grant(user, 1_000);
    const product = await billing.sell({ stock: 2 });
    const config = { serverName: '', environment: { SLOTS: '5000' } };
    const item = { productId: product.id, planId: '', quantity: 1, config };
    const add = async () => billing.carts.addCartItem(item, billing.as(user));
    billing.servers.refusedVariables.add('SLOTS');
    expect(await fieldsOf(add())).to.deep.equal(['config.environment.SLOTS']);
    expect(await fieldsOf(buy(user, product.id, { items: [item] }))).to.deep.equal([
      'items.0.config.environment.SLOTS',
    ]);
    expect((await billing.store.get(product.id))?.stock).to.equal(2);
    billing.servers.refusedVariables.clear();
    await add();
    billing.servers.refusedVariables.add('SLOTS');
    const fromCart = billing.orders.checkout(CheckoutRequest.create({ paymentMethod: 'credits' }), billing.as(user));
    expect(await fieldsOf(fromCart)).to.deep.equal(['cart.items.0.config.environment.SLOTS']);
    billing.servers.isDown = true;
    const sold = await billing.orders.checkout(CheckoutRequest.create({ paymentMethod: 'credits' }), billing.as(user));
    expect(sold.services).to.have.length(1);
    billing.servers.isDown = false;
    billing.servers.refusedVariables.clear();
    billing.servers.goneEggs.add(product.server.eggId);
    expect(await fieldsOf(add())).to.deep.equal(['product_id']);
    billing.servers.goneEggs.clear();
    billing.advance(11 * 60_000);
    await billing.runUntilIdle();
  });

  it('leaves nothing of a checkout whose payment its gateway would refuse', async () => {
    const picky = { name: 'picky', canStoreMethods: false, canCharge: () => false };
    billing.gateways.set('picky', picky as unknown as PaymentGateway);
    const user = newUserId();
    const product = await billing.sell({ stock: 2 });
    const counts = async () =>
      Promise.all(
        ['orders', 'invoices', 'sequences'].map(async (name) => billing.mongo.collection(name).find().toArray()),
      );
    const before = [await counts(), billing.mail.mails.size];
    for (const [field, change] of [
      ['return_url', { paymentMethod: 'manual', returnUrl: 'https://elsewhere.test/' }],
      ['payment_method', { paymentMethod: 'picky' }],
    ] as const)
      expect(await fieldsOf(buy(user, product.id, change))).to.deep.equal([field]);
    const amount = { amountMinor: 500, currency: 'EUR' };
    const credits = { amount, paymentMethod: 'picky', returnUrl: '' };
    expect(await fieldsOf(billing.credits.buyCredits(credits, billing.as(user)))).to.deep.equal(['payment_method']);
    await billing.runUntilIdle();
    expect([await counts(), billing.mail.mails.size]).to.deep.equal(before);
    expect((await billing.store.get(product.id))?.stock).to.equal(2);
    billing.gateways.delete('picky');
  });

  it('counts codes that parallel purchases guess, and says the same of each that does not fit', async () => {
    const product = await billing.sell();
    const staff = billing.as(newUserId(), ['billing.create']);
    const create = async (change: Record<string, unknown>) => {
      const code = `CODE-${randomUUID().slice(0, 8)}`;
      const coupon = {
        id: '',
        code,
        type: 'TYPE_PERCENT',
        value: 10,
        currency: '',
        productIds: [],
        uses: 0,
        ...change,
      };
      await billing.coupons.createCoupon({ coupon: coupon as never }, staff);
      return code;
    };
    const expired = await create({ expireTime: new Date(billing.now().getTime() + 60_000) });
    const foreign = await create({ productIds: [(await billing.sell()).id] });
    const right = await create({});
    billing.advance(61_000);
    const [user, guesser] = [newUserId(), newUserId()];
    for (const id of [user, guesser]) await billing.grant(id, 499);
    await billing.carts.addCartItem(
      { productId: product.id, planId: '', quantity: 1, config: undefined },
      billing.as(user),
    );
    const refusals = await Promise.all(
      [expired, foreign, 'NO-SUCH-CODE'].flatMap((couponCode) => [
        problemsOf(buy(user, product.id, { couponCode })),
        problemsOf(billing.carts.applyCoupon({ code: couponCode }, billing.as(user))),
      ]),
    );
    expect(new Set(refusals.flat(2))).to.deep.equal(new Set(['is not a valid code for this order']));
    const guesses = Array.from({ length: 50 }, async (_, at) =>
      reasonOf(buy(guesser, product.id, { couponCode: `GUESS-${at}` })),
    );
    const reasons = await Promise.all(guesses);
    expect(reasons.filter((reason) => reason === 'INVALID_FIELDS')).to.have.length(10);
    expect(reasons.filter((reason) => reason === 'RATE_LIMIT_EXCEEDED')).to.have.length(40);
    expect(await reasonOf(buy(guesser, product.id, { couponCode: right }))).to.equal('RATE_LIMIT_EXCEEDED');
    for (let times = 0; times < 12; times += 1) {
      expect(await reasonOf(billing.carts.applyCoupon({ code: right }, billing.as(user)))).to.equal(null);
    }
    expect(await reasonOf(buy(user, product.id, { couponCode: right }))).to.equal(null);
    billing.advance(11 * 60_000);
    expect(await reasonOf(buy(guesser, product.id, { couponCode: right }))).to.equal(null);
  });

  it('sells one customer no more than the limit of the product, and more again after one has ended', async () => {
    const user = newUserId();
    const product = await billing.sell({ perUserLimit: 2, stock: 10 });
    await billing.grant(user, 499 * 20);
    const results = await Promise.allSettled(Array.from({ length: 20 }, async () => buy(user, product.id)));
    const bought = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(bought).to.have.length(2);
    await billing.runUntilIdle();
    const serviceId = bought[0]?.services[0]?.id ?? '';
    await billing.services.cancelService({ serviceId, immediately: true, reason: '' }, billing.as(user));
    await billing.runUntilIdle();
    expect(await reasonOf(buy(user, product.id))).to.equal(null);
    expect(await reasonOf(buy(user, product.id))).to.equal('INVALID_FIELDS');
    expect((await billing.context.products.get(product.id))?.stock).to.equal(8);
  });

  it('numbers the invoices of parallel checkouts without gaps', async () => {
    const product = await billing.sell();
    const users = Array.from({ length: 30 }, newUserId);
    await Promise.all(users.map(async (user) => buy(user, product.id, { paymentMethod: 'manual' })));
    await billing.runUntilIdle();
    const staff = billing.as(newUserId(), ['billing.view']);
    const numbers: number[] = [];
    for (let page = 1; ; page++) {
      const answer = await billing.invoices.listInvoices(
        {
          page: { page, perPage: 100, sort: ['number'], search: '' },
          scope: 'SCOPE_ALL' as never,
          status: 'STATUS_UNSPECIFIED' as never,
          userId: '',
        },
        staff,
      );
      const invoices = answer.invoices.filter(({ kind }) => kind === Invoice_Kind.INVOICE);
      numbers.push(...invoices.map(({ number }) => Number(number.slice(4))));
      if (answer.invoices.length < 100) break;
    }
    expect(numbers).to.deep.equal(Array.from({ length: numbers.length }, (_, index) => index + 1));
  });

  it('keeps the price, the tax by country and the VAT number of the moment of purchase on the invoice', async () => {
    const user = newUserId();
    const product = await billing.sell();
    await billing.profiles.updateProfile(
      { name: 'Ada', company: 'Ada GmbH', address: 'Street 1', country: 'DE', vatNumber: 'DE136695976' },
      billing.as(user),
    );
    const { invoice } = await buy(user, product.id, { paymentMethod: 'manual' });
    await billing.profiles.updateProfile({ country: 'FR', vatNumber: '' }, billing.as(user));
    const stored = await billing.invoices.getInvoice({ invoiceId: invoice?.id ?? '' }, billing.as(user));
    expect(stored.invoice?.customer).to.include({ company: 'Ada GmbH', country: 'DE', vatNumber: 'DE136695976' });
    expect(stored.invoice?.tax?.amountMinor).to.equal(95);
    expect(stored.invoice?.total?.amountMinor).to.equal(594);
  });

  it('shows nobody the orders, invoices and services of others', async () => {
    const user = newUserId();
    const product = await billing.sell();
    const { order, invoice, services } = await buy(user, product.id, { paymentMethod: 'manual' });
    const other = billing.as(newUserId());
    expect(await reasonOf(billing.orders.getOrder({ orderId: order?.id ?? '' }, other))).to.equal('ORDER_NOT_FOUND');
    const invoiceId = invoice?.id ?? '';
    expect(await reasonOf(billing.invoices.getInvoice({ invoiceId }, other))).to.equal('INVOICE_NOT_FOUND');
    const pay = { invoiceId, paymentMethod: 'credits', returnUrl: '', savePaymentMethod: false, useCredits: false };
    expect(await reasonOf(billing.invoices.payInvoice(pay, other))).to.equal('INVOICE_NOT_FOUND');
    const serviceId = services[0]?.id ?? '';
    expect(await reasonOf(billing.services.getService({ serviceId }, other))).to.equal('SERVICE_NOT_FOUND');
    const cancel = { serviceId, immediately: true, reason: '' };
    expect(await reasonOf(billing.services.cancelService(cancel, other))).to.equal('SERVICE_NOT_FOUND');
  });

  it('starts the services of an invoice that an operator marks as paid, once for 20 operators', async () => {
    const user = newUserId();
    const product = await billing.sell();
    const { invoice, services } = await buy(user, product.id, { paymentMethod: 'manual' });
    const staff = billing.as(newUserId(), ['billing.update']);
    const request = { invoiceId: invoice?.id ?? '', status: Invoice_Status.PAID, reference: 'bank 1' };
    await Promise.all(Array.from({ length: 20 }, async () => billing.invoices.updateInvoiceStatus(request, staff)));
    await billing.runUntilIdle();
    const paid = await billing.invoices.getInvoice({ invoiceId: invoice?.id ?? '' }, billing.as(user));
    expect(paid.invoice?.payments).to.have.length(1);
    const { service } = await billing.services.getService({ serviceId: services[0]?.id ?? '' }, billing.as(user));
    expect(service?.status).to.equal(Service_Status.ACTIVE);
    expect(await balanceOf(user)).to.equal(0);
  });

  it('pays an invoice from credits once for 50 parallel requests', async () => {
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 5000);
    const { invoice } = await buy(user, product.id, { paymentMethod: 'manual' });
    const pay = {
      invoiceId: invoice?.id ?? '',
      paymentMethod: 'credits',
      returnUrl: '',
      savePaymentMethod: false,
      useCredits: false,
    };
    await Promise.allSettled(
      Array.from({ length: 50 }, async () => billing.invoices.payInvoice(pay, billing.as(user))),
    );
    expect(await balanceOf(user)).to.equal(5000 - 499);
  });

  it('gives back stock and coupon when an unpaid order is cancelled', async () => {
    const user = newUserId();
    const product = await billing.sell({ stock: 3 });
    const { order } = await buy(user, product.id, { paymentMethod: 'manual' });
    expect((await billing.context.products.get(product.id))?.stock).to.equal(2);
    const { order: cancelled } = await billing.orders.cancelOrder({ orderId: order?.id ?? '' }, billing.as(user));
    expect(cancelled?.status).to.equal(Order_Status.CANCELLED);
    billing.advance(60_000);
    await billing.runUntilIdle();
    expect((await billing.context.products.get(product.id))?.stock).to.equal(3);
  });
});
