import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit';
import { waitUntil } from '@panel/kit/testing';
import {
  EnqueueMailRequest,
  MailSettings,
  MailSettings_Driver,
  MailSettings_Encryption,
  type Settings,
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
  const reset = (more: Partial<EnqueueMailRequest> = {}) =>
    EnqueueMailRequest.create({
      eventId: randomUUID(),
      to: 'ada@example.test',
      mail: { $case: 'resetPassword', value: { username: 'ada', token: 't'.repeat(43), validMinutes: 60 } },
      ...more,
    });

  describe('that is enqueued', () => {
    it('arrives', async () => {
      await admin.mail.enqueueMail(reset());
      await waitUntil('the mail', () => smtp.mails.length === 1);
      expect(smtp.mails[0]?.to).to.equal('ada@example.test');
    });

    it('arrives once, however often and by whomever it is asked for', async () => {
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

    it('is taken over at once, also when the mail server is slow', async () => {
      smtp.behaviour.isSilent = true;
      const begin = performance.now();
      await admin.mail.enqueueMail(reset());
      expect(performance.now() - begin).to.be.lessThan(1_000);
    });

    it('comes from services only', async () => {
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
      ['a new address that is none', { mail: { $case: 'emailChanged', value: { username: 'a', newEmail: 'x' } } }, 'email_changed.new_email'], // prettier-ignore
    ] as const) {
      it(`is refused with ${what}, naming the field`, async () => {
        const error = await failureOf(admin.mail.enqueueMail(reset(request)));
        expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys(field);
      });
    }
  });

  describe('sent as a test', () => {
    const send = async (to = 'admin@example.test', ...permissions: string[]) =>
      admin.mail.sendTestMail(
        { to },
        {
          actorToken: admin.tokenOf(userActor(permissions.length ? permissions : ['settings.update'])),
          timeoutMs: 12_000,
        },
      );
    const fieldsOf = async (call: Promise<unknown>) => {
      const error = await failureOf(call);
      if (!isAppError(error, 'INVALID_FIELDS')) throw error;
      return error.metadata.fields as Record<string, string[]>;
    };

    it('has arrived when the answer comes, with its Message-ID', async () => {
      const { messageId } = await send();
      expect(smtp.mails).to.have.length(1);
      expect(smtp.mails[0]?.source).to.include(`Message-ID: ${messageId}`);
    });

    it('needs the right to change settings', async () => {
      expect(await reasonOf(send('a@b.test', 'settings.view'))).to.equal('PERMISSION_MISSING');
      expect(smtp.connections()).to.equal(0);
    });

    for (const to of ['', 'nobody', 'a@b.test, c@d.test', 'a@b.test\r\nRCPT TO:<c@d.test>', '<a@b.test>']) {
      it(`does not go to ${JSON.stringify(to)}`, async () => {
        expect(await fieldsOf(send(to))).to.have.all.keys('to');
        expect(smtp.connections()).to.equal(0);
      });
    }

    it("tells the mail server's own words, at the field they are about", async () => {
      smtp.behaviour.answers = { RCPT: '550 5.1.1 never heard of \u0007them' };
      expect((await fieldsOf(send())).to?.[0]).to.match(/never heard of {1,2}them/);
      smtp.behaviour.answers = { MAIL: '550 5.7.1 you may not send as this' };
      expect((await fieldsOf(send()))['mail.from_address']?.[0]).to.include('you may not send as this');
      smtp.behaviour.answers = { content: '554 5.7.1 looks like spam' };
      expect((await fieldsOf(send())).to?.[0]).to.include('looks like spam');
    });

    it('says when the password is wrong, without saying which it was', async () => {
      smtp.behaviour.login = { user: 'me', password: 'right' };
      await setMail({ username: 'me', password: 'wrong-one' });
      const fields = await fieldsOf(send());
      expect(fields['mail.password']?.[0]).to.include('wrong password');
      expect(JSON.stringify(fields)).not.to.include('wrong-one');
    });

    it('says when nobody answers', async () => {
      await setMail({ port: 1 });
      expect(await fieldsOf(send())).to.have.all.keys('mail.host');
      await setMail({ host: 'no-such-host.invalid' });
      expect(await fieldsOf(send())).to.have.all.keys('mail.host');
    });

    it('says within 10 s when the server says nothing', async () => {
      smtp.behaviour.isSilent = true;
      const begin = performance.now();
      expect((await fieldsOf(send()))['mail.host']?.[0]).to.include('took too long');
      expect(performance.now() - begin).to.be.lessThan(10_000);
    });

    it('does not fall back to plain text when encryption is wanted', async () => {
      await setMail({ encryption: MailSettings_Encryption.STARTTLS });
      expect(await fieldsOf(send())).to.have.all.keys('mail.encryption');
      expect(smtp.mails).to.have.length(0);
    });

    it('does not go to a server with a certificate nobody has signed', async () => {
      smtp.behaviour.offersStartTls = true;
      await setMail({ encryption: MailSettings_Encryption.STARTTLS });
      expect((await fieldsOf(send()))['mail.encryption']?.[0]).to.match(/certificate/);
      expect(smtp.mails).to.have.length(0);
    });

    it('is only logged when the driver is "log"', async () => {
      await setMail({ driver: MailSettings_Driver.LOG });
      expect((await send()).messageId).to.match(/^<.+@.+>$/);
      expect(smtp.connections()).to.equal(0);
    });
  });
});
