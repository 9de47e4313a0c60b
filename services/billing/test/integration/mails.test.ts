import {
  type InvoiceMail,
  InvoiceMail_Event,
  type ServiceMail,
  ServiceMail_EndCause,
  ServiceMail_Event,
  ServiceMail_SuspendReason,
} from '@panel/protos/admin';
import {
  InvoiceDocument_Format,
  RefundInvoiceRequest,
  UpdateServiceRequest,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { createInvoiceDocuments } from '../../src/documents/invoice-documents.js';
import { createMailJobs } from '../../src/mail/deliver-mail.js';
import type { SuspendReason } from '../../src/domain/subscription.js';
import { liftSuspension, suspendSubscription } from '../../src/subscriptions/suspend-subscription.js';
import { pdfText } from '../documents/pdf-text.js';
import { days, newUserId } from '../harness.js';
import { startStripeShop, type StripeShop } from '../stripe-shop.js';

const { ISSUED, PAID, REFUNDED } = InvoiceMail_Event;
const { SUSPENDED, UNSUSPENDED, ENDED, CANCELLED, RESUMED } = ServiceMail_Event;

const documents = createInvoiceDocuments();

describe('mails to customers', function () {
  this.timeout(180_000);
  let { billing, buy, pay, paidOrder, invoiceOf, dispute, stop } = {} as StripeShop;
  beforeEach(async () => {
    ({ billing, buy, pay, paidOrder, invoiceOf, dispute, stop } = await startStripeShop({ documents }));
  });
  afterEach(async () => stop());

  const bought = async () => {
    const user = newUserId();
    await billing.grant(user, 499);
    const { serviceId } = await buy(user, 'credits');
    await billing.runUntilIdle();
    return { user, serviceId };
  };
  /** In order. */
  const serviceMails = () =>
    [...billing.mail.mails.values()].flatMap(({ mail }) => (mail?.$case === 'service' ? [mail.value] : []));
  const invoiceMails = () =>
    [...billing.mail.mails.values()].flatMap(({ mail }) => (mail?.$case === 'invoice' ? [mail.value] : []));
  const documentText = async (mail?: InvoiceMail) => pdfText(mail?.document?.content ?? expect.fail('no document'));
  const htmlOf = async (invoiceId: string) => {
    const format = InvoiceDocument_Format.HTML;
    const { document } = await billing.invoices.renderInvoice({ invoiceId, format });
    return Buffer.from(document?.content ?? []).toString();
  };
  const mailsOf = (event: ServiceMail_Event) => serviceMails().filter((mail) => mail.event === event);
  const onlyMailOf = (event: ServiceMail_Event): ServiceMail => {
    const [mail, ...more] = mailsOf(event);
    expect(more).to.have.length(0);
    return mail ?? expect.fail(`no mail of ${event}`);
  };
  const subscriptionOf = async (id: string) =>
    (await billing.context.subscriptions.get(id)) ?? expect.fail('no subscription');
  const suspend = async (id: string, reason: SuspendReason) =>
    suspendSubscription(billing.context, await subscriptionOf(id), reason);

  it('writes to customers in their language', async () => {
    await bought();
    const sent = [...billing.mail.mails.values()];
    expect(sent.map(({ mail }) => mail?.$case)).to.have.members(['invoice', 'service']);
    expect(sent.map(({ language }) => language)).to.deep.equal(['de', 'de']);
  });

  it('attaches the invoice when it is issued and paid, and the credit note when it is refunded', async () => {
    billing.settings.invoicePrefix = '2026/';
    const user = newUserId();
    const { invoiceId, sessionId } = await buy(user, 'stripe');
    await billing.runUntilIdle();
    await pay(sessionId, invoiceId);
    await billing.runUntilIdle();
    const amount = { amountMinor: 200, currency: 'EUR' };
    const request = RefundInvoiceRequest.create({ invoiceId, amount, reason: 'test' });
    const { creditNote } = await billing.invoices.refundInvoice(request);
    await billing.runUntilIdle();

    const { number } = await invoiceOf(invoiceId);
    const [issued, paid, refunded] = invoiceMails();
    expect([issued, paid, refunded].map((mail) => mail?.event)).to.deep.equal([ISSUED, PAID, REFUNDED]);
    expect(issued?.document?.fileName).to.equal(`${number.replace('/', '-')}.pdf`);
    expect(await documentText(issued))
      .to.include(`Rechnung ${number}`)
      .and.include('4,99 EUR');
    expect(await documentText(paid))
      .to.include(`Rechnung ${number}`)
      .and.include('Status: bezahlt');
    const note = await documentText(refunded);
    expect(note).to.include(`Rechnungskorrektur ${creditNote?.number}`).and.include(`Korrigiert Rechnung: ${number}`);
    expect(note).to.include('-2,00 EUR');
  });

  for (const [language, locale, title, note] of [
    ['', 'ar', 'فاتورة', 'إشعار دائن'],
    ['', 'fr', 'Invoice', 'Credit note'],
    ['en-GB', 'de', 'Invoice', 'Credit note'],
  ] as const) {
    it(`writes documents to a customer of «${language}» of a panel in «${locale}» with the title ${title}`, async () => {
      Object.assign(billing.settings, { locale });
      const user = newUserId();
      billing.userLanguages.set(user, language);
      const { invoiceId, sessionId } = await buy(user, 'stripe');
      // An issued invoice keeps its language, and gives it to its credit notes.
      billing.userLanguages.set(user, 'de');
      Object.assign(billing.settings, { locale: 'de' });
      await pay(sessionId, invoiceId);
      const amount = { amountMinor: 200, currency: 'EUR' };
      const request = RefundInvoiceRequest.create({ invoiceId, amount, reason: 'test' });
      const { creditNote } = await billing.invoices.refundInvoice(request);
      expect(await htmlOf(invoiceId)).to.include(`<title>${title}`);
      expect(await htmlOf(creditNote?.id ?? '')).to.include(`<title>${note}`);
    });
  }

  for (const [what, render] of [
    ['is larger than 1 MiB', async () => ({ content: Buffer.alloc(1_048_577), fileName: 'large.pdf' })],
    ['cannot be written', async () => Promise.reject(new Error('no font'))],
  ] as const) {
    it(`sends a mail without a document that ${what}`, async () => {
      const user = newUserId();
      await buy(user, 'stripe');
      for (const job of createMailJobs({ ...billing.context, documents: { render } }))
        await job.run(new AbortController().signal);
      expect(invoiceMails().map(({ document }) => document)).to.deep.equal([undefined]);
    });
  }

  for (const [reason, told] of [
    ['operator', ServiceMail_SuspendReason.OPERATOR],
    ['dispute', ServiceMail_SuspendReason.DISPUTE],
    ['debt', ServiceMail_SuspendReason.DEBT],
    ['overdue', ServiceMail_SuspendReason.OVERDUE],
    ['balance', ServiceMail_SuspendReason.BALANCE],
  ] as const) {
    it(`tells the reason ${reason} of a suspension`, async () => {
      const { serviceId } = await bought();
      await suspend(serviceId, reason);
      await billing.runUntilIdle();
      expect(onlyMailOf(SUSPENDED).suspendReason).to.equal(told);
    });
  }

  it('tells the first of several reasons, also when it was lifted before the mail is delivered', async () => {
    const { serviceId } = await bought();
    await suspend(serviceId, 'dispute');
    await suspend(serviceId, 'operator');
    await liftSuspension(billing.context, serviceId, 'dispute');
    await liftSuspension(billing.context, serviceId, 'operator');
    await billing.runUntilIdle();
    expect(onlyMailOf(SUSPENDED).suspendReason).to.equal(ServiceMail_SuspendReason.DISPUTE);
    expect(onlyMailOf(UNSUSPENDED).suspendReason).to.equal(ServiceMail_SuspendReason.UNSPECIFIED);
  });

  it('tells the first reason of a suspension that came before there was a server', async () => {
    const user = newUserId();
    await billing.grant(user, 499);
    billing.servers.isDown = true;
    const { serviceId } = await buy(user, 'credits');
    await billing.runUntilIdle();
    await suspend(serviceId, 'debt');
    await suspend(serviceId, 'operator');
    billing.servers.isDown = false;
    billing.advance(days(1) / 24);
    await billing.runUntilIdle();
    expect(onlyMailOf(SUSPENDED).suspendReason).to.equal(ServiceMail_SuspendReason.OPERATOR);
  });

  it('confirms a cancellation and its withdrawal once each, for 50 requests at a time', async () => {
    const { user, serviceId } = await bought();
    const { nextDueAt } = await subscriptionOf(serviceId);
    const times = async (call: () => Promise<unknown>) => {
      await Promise.all(Array.from({ length: 50 }, call));
      billing.advance(1_000);
      await billing.runUntilIdle();
    };
    const cancel = async () =>
      billing.services.cancelService({ serviceId, immediately: false, reason: '' }, billing.as(user));
    const resume = async () => billing.services.resumeService({ serviceId }, billing.as(user));

    await times(cancel);
    await times(cancel);
    expect(onlyMailOf(CANCELLED).endTime).to.deep.equal(nextDueAt);
    expect((await subscriptionOf(serviceId)).cancelAtPeriodEnd).to.equal(true);
    expect(mailsOf(RESUMED)).to.have.length(0);

    await times(resume);
    await times(resume);
    expect(onlyMailOf(RESUMED).endTime).to.deep.equal(nextDueAt);
    expect((await subscriptionOf(serviceId)).cancelAtPeriodEnd).to.equal(false);

    await times(cancel);
    expect(mailsOf(CANCELLED)).to.have.length(2);
  });

  it('says nothing of a resumption to the customer of a service that is not cancelled', async () => {
    const { user, serviceId } = await bought();
    await billing.services.resumeService({ serviceId }, billing.as(user));
    await billing.runUntilIdle();
    expect(mailsOf(RESUMED)).to.have.length(0);
  });

  it('tells that a cancelled service has ended at the end of its period', async () => {
    const { user, serviceId } = await bought();
    await billing.services.cancelService({ serviceId, immediately: false, reason: '' }, billing.as(user));
    billing.advance(days(32));
    await billing.runUntilIdle();
    expect(onlyMailOf(ENDED).endCause).to.equal(ServiceMail_EndCause.CANCELLED);
  });

  it('tells that a customer has ended a service', async () => {
    const { user, serviceId } = await bought();
    await billing.services.cancelService({ serviceId, immediately: true, reason: '' }, billing.as(user));
    await billing.runUntilIdle();
    expect(onlyMailOf(ENDED).endCause).to.equal(ServiceMail_EndCause.CANCELLED);
  });

  it('tells that staff have ended a service', async () => {
    const { serviceId } = await bought();
    const update = UpdateServiceRequest.create({ serviceId, action: UpdateServiceRequest_Action.TERMINATE });
    await billing.services.updateService(update, billing.as(newUserId(), ['billing.update', 'billing.view']));
    await billing.runUntilIdle();
    expect(onlyMailOf(ENDED).endCause).to.equal(ServiceMail_EndCause.OPERATOR);
  });

  it('tells that a service was suspended and has ended because it was not paid', async () => {
    await bought();
    for (const step of [31, 3, 15]) {
      billing.advance(days(step));
      await billing.runUntilIdle();
    }
    expect(onlyMailOf(SUSPENDED).suspendReason).to.equal(ServiceMail_SuspendReason.OVERDUE);
    expect(onlyMailOf(ENDED).endCause).to.equal(ServiceMail_EndCause.UNPAID);
  });

  it('tells that a service has ended with a lost dispute', async () => {
    const { intentId } = await paidOrder(newUserId());
    await dispute(intentId, 'needs_response');
    await billing.runUntilIdle();
    await dispute(intentId, 'lost');
    await billing.runUntilIdle();
    expect(onlyMailOf(SUSPENDED).suspendReason).to.equal(ServiceMail_SuspendReason.DISPUTE);
    expect(onlyMailOf(ENDED).endCause).to.equal(ServiceMail_EndCause.DISPUTE);
  });
});
