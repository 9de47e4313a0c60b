import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { quickestMs, waitUntil } from '@panel/kit/testing';
import {
  EnqueueMailRequest,
  InvoiceMail,
  InvoiceMail_Event,
  MailSettings,
  MailSettings_Driver,
  MailSettings_Encryption,
  ServiceMail,
  ServiceMail_Event,
  Settings,
} from '@panel/protos/admin';
import { expect } from 'chai';
import { failureOf, reasonOf, type RunningAdmin, startTestAdmin, userActor } from '../harness.js';
import { type SmtpServer, startSmtpServer } from '../mail/smtp-server.js';

describe('mail', () => {
  let admin: RunningAdmin;
  let smtp: SmtpServer;
  beforeEach(async () => {
    admin = await startTestAdmin();
    smtp = await startSmtpServer();
    await setMail({
      driver: MailSettings_Driver.SMTP,
      host: '127.0.0.1',
      port: smtp.port,
      encryption: MailSettings_Encryption.NONE,
    });
  });
  afterEach(async () => {
    await smtp.stop();
    await admin.stop();
  });

  const setMail = async (mail: Partial<MailSettings>) =>
    admin.settings.updateSettings({ settings: { mail: MailSettings.create(mail) } as Settings });
  const invoice = (more: Partial<InvoiceMail>): Partial<EnqueueMailRequest> => {
    const facts = { event: InvoiceMail_Event.ISSUED, customerName: 'ada', number: 'INV-1', total: '4.99 EUR' };
    return { mail: { $case: 'invoice', value: InvoiceMail.create({ ...facts, dueTime: new Date(0), ...more }) } };
  };
  const pdf = Buffer.from('%PDF-1.7');
  const service = (more: Partial<ServiceMail>): Partial<EnqueueMailRequest> => ({
    mail: { $case: 'service', value: ServiceMail.create({ customerName: 'ada', serviceName: 'Survival', ...more }) },
  });
  const reset = (more: Partial<EnqueueMailRequest> = {}) =>
    EnqueueMailRequest.create({
      eventId: randomUUID(),
      to: 'ada@example.test',
      mail: { $case: 'resetPassword', value: { username: 'ada', token: 't'.repeat(43), validMinutes: 60 } },
      ...more,
    });

  describe('that is enqueued', () => {
    it('sends an enqueued mail', async () => {
      await admin.mail.enqueueMail(reset());
      await waitUntil('the mail', () => smtp.mails.length === 1);
      expect(smtp.mails[0]?.to).to.equal('ada@example.test');
    });

    it('sends a mail once for repeated and concurrent requests', async () => {
      const replica = await startTestAdmin({ mongoUrl: admin.mongoUrl });
      const request = reset();
      const calls = Array.from({ length: 50 }, async (_, i) => (i % 2 ? admin : replica).mail.enqueueMail(request));
      await Promise.all(calls);
      await waitUntil('the mail', () => smtp.mails.length > 0);
      await admin.mail.enqueueMail(request);
      const another = reset({ to: 'bob@example.test' });
      await replica.mail.enqueueMail(another);
      await waitUntil('the next mail', () => smtp.mails.some(({ to }) => to === 'bob@example.test'));
      await replica.stop();
      expect(smtp.mails.map(({ to }) => to)).to.deep.equal(['ada@example.test', 'bob@example.test']);
    });

    it('attaches a document of 1 MiB, and stores it encrypted until it is sent', async () => {
      const content = Buffer.alloc(1_048_576, '%PDF-1.7 secret ');
      smtp.behaviour.answers.RCPT = '451 4.7.1 come back later';
      const request = reset(invoice({ document: { fileName: 'INV-1.pdf', content } }));
      await admin.mail.enqueueMail(request);
      const mails = admin.mongo.collection<{ _id: string; attempts: number; content: string | null }>('mails');
      await waitUntil('the first attempt', async () => (await mails.findOne())?.attempts === 1);
      const stored = (await mails.findOne())?.content ?? '';
      for (const encoding of ['latin1', 'base64'] as const)
        expect(stored).not.to.include(content.subarray(0, 12).toString(encoding));

      smtp.behaviour.answers = {};
      await mails.updateOne({ _id: request.eventId }, { $set: { dueAt: new Date(0) } });
      await waitUntil('the mail', () => smtp.mails.length === 1);
      const [, head, body] =
        /(Content-Type: application\/pdf[\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--/.exec(smtp.mails[0]?.source ?? '') ?? [];
      expect(head).to.include('filename=INV-1.pdf').and.include('Content-Transfer-Encoding: base64');
      expect(Buffer.from(body ?? '', 'base64').equals(content)).to.equal(true);
      await waitUntil('the end', async () => (await mails.findOne())?.content === null);
    });

    it('accepts a mail at once while the mail server is slow', async () => {
      smtp.behaviour.isSilent = true;
      expect(await quickestMs(async () => admin.mail.enqueueMail(reset()))).to.be.lessThan(1_000);
    });

    it('accepts mail from services only', async () => {
      const actorToken = admin.tokenOf(userActor(['*']));
      expect(await reasonOf(admin.mail.enqueueMail(reset(), { actorToken }))).to.equal('SERVICE_REQUIRED');
    });

    for (const [what, request, field] of [
      ['no event id', { eventId: '' }, 'event_id'],
      ['an event id that is an operator', { eventId: '{"$ne":null}' }, 'event_id'],
      ['no address', { to: '' }, 'to'],
      ['two addresses', { to: 'a@b.test, c@d.test' }, 'to'],
      ['a header in the address', { to: 'a@b.test\r\nBcc: c@d.test' }, 'to'],
      ['no mail', { mail: undefined }, 'mail'],
      [
        'a token that is none',
        { mail: { $case: 'setPassword', value: { username: 'ada', token: 'a b', validHours: 1 } } },
        'set_password.token',
      ],
      [
        'a name of two lines',
        { mail: { $case: 'invitation', value: { inviter: 'a\r\nBcc: c@d.test', serverName: 's' } } },
        'invitation.inviter',
      ],
      [
        'a link that never works',
        { mail: { $case: 'resetPassword', value: { username: 'ada', token: 't'.repeat(43), validMinutes: 0 } } },
        'reset_password.valid_minutes',
      ],
      ['a language of two lines', { language: 'de\r\nen' }, 'language'],
      ['an amount without a currency', invoice({ total: '4.99' }), 'invoice.total'],
      ['an invoice without a due time', invoice({ dueTime: undefined }), 'invoice.due_time'],
      [
        'a document of another folder',
        invoice({ document: { fileName: '../x.pdf', content: pdf } }),
        'invoice.document.file_name',
      ],
      [
        'an empty document',
        invoice({ document: { fileName: 'x.pdf', content: Buffer.alloc(0) } }),
        'invoice.document.content',
      ],
      [
        'a document of over 1 MiB',
        invoice({ document: { fileName: 'x.pdf', content: Buffer.alloc(1_048_577) } }),
        'invoice.document.content',
      ],
      ['a cancellation without its end', service({ event: ServiceMail_Event.CANCELLED }), 'service.end_time'],
      ['a new address that is none', { mail: { $case: 'emailChanged', value: { username: 'a', newEmail: 'x' } } }, 'email_changed.new_email'], // prettier-ignore
    ] as const) {
      it(`refuses a mail with ${what}, naming the field`, async () => {
        const error = await failureOf(admin.mail.enqueueMail(reset(request)));
        expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys(field);
      });
    }
  });

  describe('shown with sample values', () => {
    const as = (...permissions: string[]) => ({ actorToken: admin.tokenOf(userActor(permissions)) });
    const preview = async (name: string, language = '', options = as('settings.view')) =>
      admin.mail.previewMailTemplate({ name, language }, options);

    it('lists every mail, and shows each in every language', async () => {
      await admin.settings.updateSettings({ settings: Settings.fromPartial({ general: { name: 'Host & Söhne' } }) });
      const { names, languages } = await admin.mail.listMailTemplates({}, as('settings.view'));
      expect(names).to.include.members(['setPassword', 'invoice.refunded', 'service.suspended.debt']);
      expect(languages).to.deep.equal(['en', 'de', 'ar']);
      for (const language of languages) {
        const { html } = await preview('invitation', language);
        expect(html).to.include(`<html lang="${language}"`).and.include('Host &#38; Söhne');
      }
      for (const name of names) expect((await preview(name)).text).to.have.length.above(20);
    });

    it('takes the language of the panel where none is given', async () => {
      await admin.settings.updateSettings({ settings: Settings.fromPartial({ general: { locale: 'de-CH' } }) });
      expect((await preview('test')).subject).to.match(/^Testmail von /);
      expect((await preview('test', 'fr')).subject).to.match(/^Test mail from /);
    });

    it('requires the permission settings.view', async () => {
      const options = as('settings.update');
      expect(await reasonOf(preview('test', '', options))).to.equal('PERMISSION_MISSING');
      expect(await reasonOf(admin.mail.listMailTemplates({}, options))).to.equal('PERMISSION_MISSING');
    });

    for (const name of ['', 'nothing', '__proto__', 'constructor', 'service', 'TEST'])
      it(`refuses a mail named ${JSON.stringify(name)}`, async () => {
        expect(await reasonOf(preview(name))).to.equal('MAIL_TEMPLATE_NOT_FOUND');
      });

    it('sends a test mail in the language of the administrator', async () => {
      await admin.mail.sendTestMail({ to: 'a@b.test', language: 'de-DE' }, as('settings.update'));
      expect(smtp.mails[0]?.source).to.match(/^Subject: Testmail von /m);
    });
  });

  describe('sent as a test', () => {
    const send = async (to = 'admin@example.test', ...permissions: string[]) =>
      admin.mail.sendTestMail(
        { to, language: '' },
        {
          actorToken: admin.tokenOf(userActor(permissions.length ? permissions : ['settings.update'], randomUUID())),
          timeoutMs: 12_000,
        },
      );
    const fieldsOf = async (call: Promise<unknown>) => {
      const error = await failureOf(call);
      if (!isAppError(error, 'INVALID_FIELDS')) throw error;
      return error.metadata.fields as Record<string, string[]>;
    };

    it('answers after the delivery, with the Message-ID', async () => {
      const { messageId } = await send();
      expect(smtp.mails).to.have.length(1);
      expect(smtp.mails[0]?.source).to.include(`Message-ID: ${messageId}`);
    });

    it('requires the permission settings.update', async () => {
      expect(await reasonOf(send('a@b.test', 'settings.view'))).to.equal('PERMISSION_MISSING');
      expect(smtp.connections()).to.equal(0);
    });

    for (const to of ['', 'nobody', 'a@b.test, c@d.test', 'a@b.test\r\nRCPT TO:<c@d.test>', '<a@b.test>']) {
      it(`refuses to send to ${JSON.stringify(to)}`, async () => {
        expect(await fieldsOf(send(to))).to.have.all.keys('to');
        expect(smtp.connections()).to.equal(0);
      });
    }

    it('reports a refusal at the field it is about, with its code and without the text of the mail server', async () => {
      smtp.behaviour.answers = { RCPT: '550 5.1.1 never heard of \u0007them' };
      expect((await fieldsOf(send())).to?.[0]).to.equal('the mail server refuses the recipient (550)');
      smtp.behaviour.answers = { MAIL: '550 5.7.1 you may not send as this' };
      const fields = await fieldsOf(send());
      expect(fields['mail.from_address']?.[0]).to.equal('the mail server refuses the sender address (550)');
      smtp.behaviour.answers = { content: '554 5.7.1 looks like spam' };
      expect((await fieldsOf(send())).to?.[0]).to.equal('the mail server refuses the message (554)');
    });

    it('refuses the sixth test mail of a minute', async () => {
      const actor = userActor(['settings.update'], randomUUID());
      const sendAs = async () =>
        admin.mail.sendTestMail({ to: 'a@b.test', language: '' }, { actorToken: admin.tokenOf(actor) });
      const results = await Promise.allSettled(Array.from({ length: 8 }, sendAs));
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
      const error = await failureOf(sendAs());
      expect(error).to.include({ reason: 'RATE_LIMIT_EXCEEDED', kind: 'resource_exhausted' });
    });

    for (const host of ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '169.254.169.254', '::ffff:127.0.0.1']) {
      it(`refuses to connect to ${host} unless the configuration allows it`, async () => {
        const strict = await startTestAdmin({ smtpAllowedAddresses: '' });
        try {
          const mail = { driver: MailSettings_Driver.SMTP, host, port: smtp.port };
          await strict.settings.updateSettings({ settings: Settings.fromPartial({ mail }) });
          const actorToken = strict.tokenOf(userActor(['settings.update'], randomUUID()));
          const fields = await fieldsOf(strict.mail.sendTestMail({ to: 'a@b.test', language: '' }, { actorToken }));
          expect(fields['mail.host']).to.deep.equal(['the address of this host is not allowed']);
          expect(smtp.connections()).to.equal(0);
        } finally {
          await strict.stop();
        }
      });
    }

    it('reports a refused password without revealing it', async () => {
      smtp.behaviour.login = { user: 'me', password: 'right' };
      await setMail({ username: 'me', password: 'wrong-one' });
      const fields = await fieldsOf(send());
      expect(fields['mail.password']?.[0]).to.include('refuses the user name or the password');
      expect(JSON.stringify(fields)).not.to.include('wrong-one');
    });

    it('reports an unreachable mail server', async () => {
      await setMail({ port: 1 });
      expect(await fieldsOf(send())).to.have.all.keys('mail.host');
      await setMail({ host: 'no-such-host.invalid' });
      expect(await fieldsOf(send())).to.have.all.keys('mail.host');
    });

    it('reports a silent mail server within 10 s', async () => {
      smtp.behaviour.isSilent = true;
      const begin = performance.now();
      expect((await fieldsOf(send()))['mail.host']?.[0]).to.include('took too long');
      expect(performance.now() - begin).to.be.lessThan(10_000);
    });

    it('does not fall back to plain text when encryption is required', async () => {
      await setMail({ encryption: MailSettings_Encryption.STARTTLS });
      expect(await fieldsOf(send())).to.have.all.keys('mail.encryption');
      expect(smtp.mails).to.have.length(0);
    });

    it('refuses a mail server with an untrusted certificate', async () => {
      smtp.behaviour.offersStartTls = true;
      await setMail({ encryption: MailSettings_Encryption.STARTTLS });
      expect((await fieldsOf(send()))['mail.encryption']?.[0]).to.match(/SELF_SIGNED|CERT/);
      expect(smtp.mails).to.have.length(0);
    });

    it('sends nothing when the driver is "log"', async () => {
      await setMail({ driver: MailSettings_Driver.LOG });
      expect((await send()).messageId).to.match(/^<.+@.+>$/);
      expect(smtp.connections()).to.equal(0);
    });
  });
});
