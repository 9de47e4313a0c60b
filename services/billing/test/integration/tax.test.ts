import { createLogger } from '@panel/kit/process';
import {
  CheckoutRequest,
  type Invoice,
  Invoice_Status,
  PlaceEvidence_Source,
  InvoiceDocument_Format,
  RefundInvoiceRequest_Destination,
  Scope,
  TaxStatus_VatState,
  TaxTreatment,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { createVies } from '../../src/customers/vies.js';
import { parseTaxRates } from '../../src/domain/tax-rates.js';
import { receiveEvents } from '../../src/payment-events/receive-events.js';
import { FakeVies } from '../customers/fake-vies.js';
import { days, fieldsOf, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';
import type { FaultServer } from '../payments/fault-server.js';

const french = 'FR40303265045';
const staffRights = ['billing.view', 'billing.update'];

describe('tax', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  let vies: FakeVies;
  let server: FaultServer;

  beforeEach(async () => {
    vies = new FakeVies();
    server = await vies.start();
    const log = createLogger({ service: 'test', level: 'silent' });
    const vatRegister = createVies({ apiBase: `${server.address}/rest-api`, timeoutMs: 2_000 }, log);
    billing = await startTestBilling({ vatRegister });
    Object.assign(billing.settings, {
      ...parseTaxRates('FR=20,AT=20,AT=22@2026-03-01', 'UTC'),
      taxScheme: 'eu',
      taxRateBasisPoints: 1900,
      sellerCountry: 'DE',
      isOss: true,
      vatCheck: 'tax',
      seller: { name: 'Test Panel', address: '', vatNumber: 'DE136695976' },
    });
  });
  afterEach(async () => {
    await billing.stop();
    await server.stop();
  });

  const staff = () => billing.as(newUserId(), staffRights);
  const setProfile = async (user: string, fields: Record<string, string>) =>
    billing.profiles.updateProfile(fields, billing.as(user));
  const buy = async (user: string, priceMinor = 1000) => {
    const product = await billing.sell();
    const [plan] = product.plans;
    await billing.context.products.update(product.id, {
      plans: plan ? [{ ...plan, priceMinor, setupFeeMinor: 0 }] : [],
    });
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'manual', items });
    const { invoice } = await billing.orders.checkout(request, billing.as(user));
    return invoice ?? expect.fail('no invoice');
  };
  const markPaid = async (invoiceId: string) => {
    await billing.invoices.updateInvoiceStatus({ invoiceId, status: Invoice_Status.PAID, reference: '' }, staff());
    await billing.runUntilIdle();
  };
  const invoicesOf = async (user: string) =>
    (await billing.mongo.collection('invoices').find({ userId: user }).sort({ createdAt: 1 }).toArray()) as never as {
      readonly kind: string;
      readonly taxRateBasisPoints: number;
      readonly tax: { readonly treatment: string };
      readonly items: readonly { readonly netMinor: number; readonly taxMinor: number; readonly purpose: string }[];
    }[];
  const textOf = async (invoiceId: string) => {
    const request = { invoiceId, format: InvoiceDocument_Format.HTML };
    const { document } = await billing.invoices.renderInvoice(request, staff());
    return Buffer.from(document?.content ?? []).toString();
  };

  it('leaves the tax to a business whose number VIES confirms, and keeps the proof with the invoice', async () => {
    vies.valid.add(french);
    const user = newUserId();
    const { tax } = await setProfile(user, { country: 'FR', vatNumber: 'FR 40 303265045', company: 'SARL' });
    expect(tax).to.deep.include({ vatState: TaxStatus_VatState.VALID, vatConsultation: 'WAPI1' });
    expect(vies.questions[0]?.requesterNumber).to.equal('136695976');
    const invoice = await buy(user);
    expect(invoice).to.include({
      taxTreatment: TaxTreatment.REVERSE_CHARGE,
      taxCountry: 'FR',
      taxRateBasisPoints: 0,
      vatConsultation: 'WAPI1',
    });
    expect(invoice.vatCheckTime).to.deep.equal(billing.now());
    expect(invoice.total?.amountMinor).to.equal(1000);
    expect(await textOf(invoice.id))
      .to.include('Steuerschuldnerschaft des Leistungsempfängers')
      .and.include(`USt-IdNr. ${french}`)
      .and.include('USt-IdNr. DE136695976');
  });

  it('taxes a consumer of another member state at the rate of the place, by rate on invoice and cart', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'FR' });
    const invoice = await buy(user);
    expect(invoice).to.include({ taxTreatment: TaxTreatment.STANDARD, taxCountry: 'FR', taxRateBasisPoints: 2000 });
    const sums = { rateBasisPoints: 2000, net: 1000, tax: 200, total: 1200 };
    const shown = invoice.taxes.map(({ rateBasisPoints, net, tax, total }) => {
      return { rateBasisPoints, net: net?.amountMinor, tax: tax?.amountMinor, total: total?.amountMinor };
    });
    expect(shown).to.deep.equal([sums]);
    const product = await billing.sell();
    await billing.carts.addCartItem(
      { productId: product.id, planId: '', quantity: 1, config: undefined },
      billing.as(user),
    );
    const { cart } = await billing.carts.getCart({}, billing.as(user));
    expect(cart?.taxTreatment).to.equal(TaxTreatment.STANDARD);
    expect(cart?.taxes.map(({ rateBasisPoints, total }) => [rateBasisPoints, total?.amountMinor])).to.deep.equal([
      [2000, cart?.total?.amountMinor],
    ]);
  });

  it('taxes a business whose number VIES does not know', async () => {
    const user = newUserId();
    const { tax } = await setProfile(user, { country: 'FR', vatNumber: french });
    expect(tax?.vatState).to.equal(TaxStatus_VatState.INVALID);
    expect((await buy(user)).taxRateBasisPoints).to.equal(2000);
  });

  for (const [vatCheck, basisPoints] of [
    ['tax', 2000],
    ['accept', 0],
  ] as const) {
    it(`charges ${basisPoints / 100} percent while VIES has no answer with ${vatCheck}, and asks again later`, async () => {
      billing.settings.vatCheck = vatCheck;
      vies.error = 'MS_UNAVAILABLE';
      const user = newUserId();
      const { tax } = await setProfile(user, { country: 'FR', vatNumber: french });
      expect(tax).to.deep.include({ vatState: TaxStatus_VatState.UNCHECKED, vatConsultation: '' });
      expect((await buy(user)).taxRateBasisPoints).to.equal(basisPoints);
      await billing.runJobs('check-vat-numbers');
      expect(vies.questions).to.have.length(1);
      vies.error = '';
      vies.valid.add(french);
      billing.advance(60_000);
      await billing.runJobs('check-vat-numbers');
      const profile = await billing.profiles.getProfile({ userId: '' }, billing.as(user));
      expect(profile.tax?.vatState).to.equal(TaxStatus_VatState.VALID);
      expect((await buy(user)).taxTreatment).to.equal(TaxTreatment.REVERSE_CHARGE);
    });
  }

  it('asks for an answer again after thirty days, and keeps it while VIES has none', async () => {
    vies.valid.add(french);
    const user = newUserId();
    await setProfile(user, { country: 'FR', vatNumber: french });
    billing.advance(days(29));
    await billing.runJobs('check-vat-numbers');
    expect(vies.questions).to.have.length(1);
    vies.error = 'MS_UNAVAILABLE';
    billing.advance(days(2));
    await billing.runJobs('check-vat-numbers');
    expect(vies.questions).to.have.length(2);
    const stateNow = async () => (await billing.profiles.getProfile({ userId: '' }, billing.as(user))).tax?.vatState;
    expect(await stateNow()).to.equal(TaxStatus_VatState.VALID);
    vies.error = '';
    vies.valid.clear();
    billing.advance(60_000);
    await billing.runJobs('check-vat-numbers');
    expect(await stateNow()).to.equal(TaxStatus_VatState.INVALID);
  });

  it('checks numbers from before the checks were switched on, and none of other countries', async () => {
    const [old, swiss] = [newUserId(), newUserId()];
    const profiles = billing.mongo.collection<{ _id: string }>('billing_profiles');
    await profiles.insertMany([
      { _id: old, country: 'FR', vatNumber: french } as never,
      { _id: swiss, country: 'CH', vatNumber: 'CHE123456789' } as never,
    ]);
    billing.settings.vatCheck = 'off';
    await billing.runJobs('check-vat-numbers');
    expect(vies.questions).to.deep.equal([]);
    billing.settings.vatCheck = 'accept';
    vies.valid.add(french);
    await billing.runJobs('check-vat-numbers');
    expect(vies.questions.map(({ countryCode }) => countryCode)).to.deep.equal(['FR']);
    expect((await billing.profiles.getProfile({ userId: old }, staff())).tax?.vatState).to.equal(
      TaxStatus_VatState.VALID,
    );
    expect((await billing.profiles.getProfile({ userId: swiss }, staff())).tax?.vatState).to.equal(
      TaxStatus_VatState.UNCHECKED,
    );
  });

  it('asks nothing without the scheme eu, nor for a number that stays', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'FR', vatNumber: french });
    await setProfile(user, { country: 'FR', vatNumber: french, name: 'Ada' });
    expect(vies.questions).to.have.length(1);
    billing.settings.taxScheme = 'fixed';
    await setProfile(newUserId(), { country: 'FR', vatNumber: french });
    billing.advance(days(40));
    await billing.runJobs('check-vat-numbers');
    expect(vies.questions).to.have.length(1);
  });

  it('forgets the check with the number', async () => {
    vies.valid.add(french);
    const user = newUserId();
    await setProfile(user, { country: 'FR', vatNumber: french });
    const { tax } = await setProfile(user, { vatNumber: '' });
    expect(tax).to.deep.include({ vatState: TaxStatus_VatState.NONE, vatConsultation: '', vatCheckTime: undefined });
    expect((await buy(user)).taxRateBasisPoints).to.equal(2000);
  });

  it('refuses a number of another country than that of the address, changing nothing', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'FR', vatNumber: french, name: 'Ada' });
    expect(await fieldsOf(setProfile(user, { country: 'AT', name: 'Eva' }))).to.deep.equal(['vat_number']);
    const { customer } = await billing.profiles.getProfile({ userId: '' }, billing.as(user));
    expect(customer).to.include({ country: 'FR', vatNumber: french, name: 'Ada' });
  });

  it('decides again at a renewal, by the rate of its period, and leaves issued invoices as they are', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'AT' });
    const first = await buy(user);
    await markPaid(first.id);
    billing.setTime(new Date('2026-02-10T12:00:00Z'));
    await billing.runUntilIdle();
    billing.setTime(new Date('2026-02-14T12:00:00Z'));
    const renewed = (await invoicesOf(user)).filter(({ items }) => items[0]?.purpose === 'renewal');
    expect(renewed.map(({ taxRateBasisPoints }) => taxRateBasisPoints)).to.deep.equal([2000]);
    const { invoices } = await billing.invoices.listInvoices(
      { page: undefined, scope: Scope.UNSPECIFIED, status: Invoice_Status.UNPAID, userId: '' },
      billing.as(user),
    );
    await markPaid(invoices[0]?.id ?? '');
    // the period begins after the change of the rate, its invoice is from before
    billing.setTime(new Date('2026-02-28T12:00:00Z'));
    await setProfile(user, { country: 'AT', vatNumber: 'ATU13585627' });
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    await billing.runUntilIdle();
    const all = (await invoicesOf(user)).map(({ taxRateBasisPoints, tax }) => [tax.treatment, taxRateBasisPoints]);
    expect(all).to.deep.equal([
      ['standard', 2000],
      ['standard', 2000],
      ['standard', 2200],
    ]);
  });

  it('exempts a customer by staff with the reason on the invoice, until staff end it', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'DE' });
    const exempt = async (taxExemption: string, who = staff()) =>
      billing.profiles.setTaxExemption({ userId: user, taxExemption }, who);
    expect(await reasonOf(exempt('x', billing.as(user)))).to.equal('PERMISSION_MISSING');
    expect(await fieldsOf(exempt('x\ny'))).to.deep.equal(['tax_exemption']);
    const gone = newUserId();
    billing.deletedUsers.add(gone);
    const ofGone = billing.profiles.setTaxExemption({ userId: gone, taxExemption: 'x' }, staff());
    expect(await reasonOf(ofGone)).to.equal('USER_NOT_FOUND');
    expect((await exempt(' embassy ')).tax?.taxExemption).to.equal('embassy');
    const invoice = await buy(user);
    expect(invoice).to.include({ taxTreatment: TaxTreatment.EXEMPT, taxReason: 'embassy', taxRateBasisPoints: 0 });
    expect(await textOf(invoice.id)).to.include('Von der Steuer befreit: embassy');
    await exempt('');
    expect((await buy(user)).taxRateBasisPoints).to.equal(1900);
  });

  it('shows the profile of a customer to staff only', async () => {
    const user = newUserId();
    await setProfile(user, { name: 'Ada' });
    const read = async (as: ReturnType<typeof staff>) => billing.profiles.getProfile({ userId: user }, as);
    expect((await read(staff())).customer?.name).to.equal('Ada');
    expect(await reasonOf(read(billing.as(newUserId())))).to.equal('PERMISSION_MISSING');
  });

  it('credits an invoice in parts at its rate, to exactly its net and tax, when the rate has changed since', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'AT' });
    const invoice = await buy(user, 999);
    await markPaid(invoice.id);
    billing.setTime(new Date('2026-03-05T12:00:00Z'));
    const destination = RefundInvoiceRequest_Destination.CREDITS;
    const total = invoice.total?.amountMinor ?? 0;
    const third = Math.floor(total / 3);
    for (const amountMinor of [third, third, total - 2 * third]) {
      const amount = { amountMinor, currency: 'EUR' };
      const request = { invoiceId: invoice.id, amount, destination, reason: '', cancelServices: false };
      const { creditNote } = await billing.invoices.refundInvoice(
        request,
        billing.as(newUserId(), staffRights, newUserId()),
      );
      expect(creditNote).to.include({ taxRateBasisPoints: 2000, taxTreatment: TaxTreatment.STANDARD });
      expect(await textOf(creditNote?.id ?? ''))
        .to.include(invoice.number)
        .and.include('20\u00a0%');
    }
    const notes = (await invoicesOf(user)).filter(({ kind }) => kind === 'credit_note').flatMap(({ items }) => items);
    const sum = (field: 'netMinor' | 'taxMinor') => notes.reduce((all, item) => all - item[field], 0);
    expect([sum('netMinor'), sum('taxMinor')]).to.deep.equal([999, 200]);
  });

  it('takes no tax for credits, whoever buys them', async () => {
    const user = newUserId();
    await setProfile(user, { country: 'DE' });
    const { invoice } = await billing.credits.buyCredits(
      { amount: { amountMinor: 1000, currency: 'EUR' }, paymentMethod: 'manual', returnUrl: '' },
      billing.as(user),
    );
    expect(invoice).to.include({ taxTreatment: TaxTreatment.NONE, taxRateBasisPoints: 0 });
    expect(await textOf(invoice?.id ?? ''))
      .not.to.include('19\u00a0%')
      .and.not.include('Steuersatz');
  });

  it('keeps where a customer is, and flags what contradicts itself where tax depends on it', async () => {
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const buyFrom = async (profile: Record<string, string>, callerCountry: string) => {
      const user = newUserId();
      await setProfile(user, profile);
      const request = CheckoutRequest.create({ paymentMethod: 'manual', items, callerCountry });
      const { invoice } = await billing.orders.checkout(request, billing.as(user));
      return invoice ?? expect.fail('no invoice');
    };
    const pieces = ({ placeEvidence, placeConflict }: Invoice) => [
      placeEvidence.map(({ source, country }) => `${source} ${country}`),
      placeConflict,
    ];
    const { BILLING, IP, CARD } = PlaceEvidence_Source;
    const agreeing = await buyFrom({ country: 'FR' }, 'FR');
    expect(pieces(agreeing)).to.deep.equal([[`${BILLING} FR`, `${IP} FR`], false]);
    expect(pieces(await buyFrom({ country: 'FR' }, 'US'))).to.deep.equal([[`${BILLING} FR`, `${IP} US`], true]);
    expect(pieces(await buyFrom({ country: 'US' }, 'FR'))).to.deep.equal([[`${BILLING} US`, `${IP} FR`], true]);
    expect(pieces(await buyFrom({ country: 'EL' }, 'GR'))).to.deep.equal([[`${BILLING} GR`, `${IP} GR`], false]);
    expect(pieces(await buyFrom({ country: 'FR' }, ''))).to.deep.equal([[`${BILLING} FR`], false]);
    vies.valid.add(french);
    const business = await buyFrom({ country: 'FR', vatNumber: french }, 'US');
    expect(pieces(business)).to.deep.equal([[`${BILLING} FR`, `${IP} US`], false]);
    const event = {
      type: 'paid' as const,
      eventId: 'paid 1',
      gatewayReference: 'pi_1',
      sessionReference: null,
      invoiceId: agreeing.id,
      amount: { amountMinor: agreeing.total?.amountMinor ?? 0, currency: 'EUR' },
      occurredAt: billing.now(),
      cardCountry: 'BE',
    };
    await receiveEvents(billing.context, 'stripe', [event]);
    const { invoice: paid } = await billing.invoices.getInvoice({ invoiceId: agreeing.id }, staff());
    expect(pieces(paid ?? expect.fail('no invoice'))).to.deep.equal([
      [`${BILLING} FR`, `${IP} FR`, `${CARD} BE`],
      true,
    ]);
    billing.settings.taxScheme = 'fixed';
    expect(pieces(await buyFrom({ country: 'FR' }, 'US'))).to.deep.equal([[], false]);
  });

  it('names the day of the seller in mails and documents', async () => {
    billing.settings.timezone = 'Europe/Berlin';
    billing.setTime(new Date('2026-01-15T23:30:00Z'));
    const user = newUserId();
    const invoice = await buy(user);
    await billing.runUntilIdle();
    billing.settings.timezone = 'UTC';
    expect(await textOf(invoice.id))
      .to.include('2026-01-16')
      .and.include('2026-01-23')
      .and.not.include('2026-01-15');
    const mails = [...billing.mail.mails.values()].flatMap(({ mail }) =>
      mail?.$case === 'invoice' ? [mail.value] : [],
    );
    expect(mails.map(({ dueTime }) => dueTime)).to.deep.equal([invoice.dueTime]);
  });
});
