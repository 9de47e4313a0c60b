import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@panel/kit/testing';
import {
  MailServiceService,
  MailSettings_Driver,
  MailSettings_Encryption,
  Settings,
  SettingsServiceService,
} from '@panel/protos/admin';
import { RefundInvoiceRequest } from '@panel/protos/billing';
import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { createInvoiceDocuments } from '../../src/documents/invoice-documents.js';
import { BillingProcess } from '../billing-process.js';
import { pdfText } from '../documents/pdf-text.js';
import { newUserId } from '../harness.js';
import { serviceSecret, testEnvironment } from '../replica.js';
import { type SmtpSink, startSmtpSink } from '../smtp-sink.js';
import { startStripeShop, type StripeShop } from '../stripe-shop.js';

const adminMain = fileURLToPath(new URL('../../../../admin/dist/src/main.js', import.meta.url));

/** Compares the fakes of other tests with the real admin service. */
describe('billing with the real admin service', function () {
  this.timeout(180_000);
  let admin: BillingProcess;
  let connection: ReturnType<typeof connect>;
  let sink: SmtpSink;
  let shop: StripeShop;
  before(async function () {
    if (!existsSync(adminMain)) {
      if (process.env.CI === 'true') throw new Error('the admin service is not built');
      this.skip();
    }
    sink = await startSmtpSink();
    const env = { ...testEnvironment(testMongoUrl('admin')), SMTP_ALLOWED_ADDRESSES: '127.0.0.0/8' };
    admin = await BillingProcess.start(env, '', adminMain);
    connection = connect({
      address: admin.address,
      signer: createActorSigner(serviceSecret),
      actor: serviceActor('billing'),
    });
    const { SMTP: driver } = MailSettings_Driver;
    const { NONE: encryption } = MailSettings_Encryption;
    const mail = { driver, host: '127.0.0.1', port: sink.port, encryption };
    await connection
      .client(SettingsServiceService)
      .updateSettings({ settings: Settings.fromPartial({ mail }) }, { timeoutMs: 30_000 });
    shop = await startStripeShop({
      mail: connection.client(MailServiceService),
      documents: createInvoiceDocuments(),
    });
  });
  after(async () => {
    await shop?.stop();
    connection?.close();
    admin?.child.kill();
    await admin?.ended();
    await sink?.stop();
  });

  it('sends every mail of a purchase, a refund and a cancellation, with the documents of invoices', async () => {
    const { billing, paidOrder } = shop;
    const user = newUserId();
    const { invoiceId, serviceId } = await paidOrder(user);
    const amount = { amountMinor: 200, currency: 'EUR' };
    await billing.invoices.refundInvoice(RefundInvoiceRequest.create({ invoiceId, amount, reason: 'test' }));
    await billing.services.cancelService({ serviceId, immediately: false, reason: '' }, billing.as(user));
    await billing.services.resumeService({ serviceId }, billing.as(user));
    await billing.services.cancelService({ serviceId, immediately: true, reason: '' }, billing.as(user));
    await billing.runUntilIdle();

    await waitUntil('seven mails', () => sink.mails.length >= 7, 60_000);
    const { number, refunds } = await shop.invoiceOf(invoiceId);
    const creditNote = await shop.invoiceOf(refunds[0]?.creditNoteId ?? '');
    const texts = (await Promise.all(sink.mails.map(attachedText))).filter((text) => text !== null);
    expect(sink.mails).to.have.length(7);
    expect(texts.map((text) => text.slice(0, text.indexOf('Datum:')))).to.have.members([
      `Rechnung ${number}`,
      `Rechnung ${number}`,
      `Rechnungskorrektur ${creditNote.number}`,
    ]);
    const sources = sink.mails.join('\n');
    for (const subject of [`Rechnung ${number} von Game Server Panel`, `Erstattung zu Rechnung ${number}`])
      expect(sources).to.include(`Subject: ${subject}\r\n`);
  });
});

/** Of the attached PDF; null: none. */
async function attachedText(mail: string): Promise<string | null> {
  const [, body] = /Content-Type: application\/pdf[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(mail) ?? [];
  return body === undefined ? null : pdfText(Buffer.from(body, 'base64'));
}
