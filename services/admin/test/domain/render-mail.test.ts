import { expect } from 'chai';
import type { InvoiceMailEvent, MailContent, ServiceMailEvent } from '../../src/domain/mail.js';
import { renderMail } from '../../src/domain/render-mail.js';
import { type TemplateName, templates } from '../../src/domain/mail-templates.js';

const sender = { panel: 'Test Panel', url: 'https://panel.test' };
const token = 'tokentokentokentoken';
const invoice = (event: InvoiceMailEvent): MailContent => ({
  kind: 'invoice',
  event,
  customerName: 'ada',
  number: 'INV-000001',
  total: '4.99 EUR',
  dueDate: '2026-01-31',
});
const service = (event: ServiceMailEvent): MailContent => ({
  kind: 'service',
  event,
  customerName: 'ada',
  serviceName: 'Survival',
});
const contents: Record<TemplateName, MailContent> = {
  'invoice.issued': invoice('issued'),
  'invoice.paid': invoice('paid'),
  'invoice.reminder': invoice('reminder'),
  'invoice.overdue': invoice('overdue'),
  'invoice.refunded': invoice('refunded'),
  'invoice.payment_failed': invoice('payment_failed'),
  'service.ready': service('ready'),
  'service.suspended': service('suspended'),
  'service.unsuspended': service('unsuspended'),
  'service.ended': service('ended'),
  creditsLow: { kind: 'creditsLow', customerName: 'ada', balance: '1.00 EUR' },
  setPassword: { kind: 'setPassword', username: 'ada', token, validHours: 24 },
  resetPassword: { kind: 'resetPassword', username: 'ada', token, validMinutes: 60 },
  emailChanged: { kind: 'emailChanged', username: 'ada', newEmail: 'ada@new.test' },
  invitation: { kind: 'invitation', inviter: 'bob', serverName: 'Survival' },
  test: { kind: 'test' },
};
/** Removes the joiners that prevent links. */
const visible = (text: string) => text.replaceAll('\u2060', '');

describe('a mail in words', () => {
  for (const kind of Object.keys(templates) as TemplateName[]) {
    it(`fills every value of the template ${kind}`, () => {
      const mail = renderMail(contents[kind], sender);
      for (const part of [mail.subject, mail.text, mail.html]) {
        expect(part).not.to.match(/\{\{|undefined|null|\[object/);
        expect(part).not.to.equal('');
      }
      expect(mail.subject).not.to.match(/[\r\n]/);
    });
  }

  it('contains the link once in the text and twice in the HTML', () => {
    const mail = renderMail(contents.resetPassword, sender);
    const link = `https://panel.test/password/reset#token=${token}`;
    expect(mail.text.split(link)).to.have.length(2);
    expect(mail.html).to.include(`<a href="${link}">`);
    expect(mail.html.split(link)).to.have.length(3);
  });

  it('states its subject', () => {
    expect(visible(renderMail(contents.emailChanged, sender).text)).to.include('is now ada@new.test');
    expect(visible(renderMail(contents.invitation, sender).text)).to.include('bob has given you access');
    expect(renderMail(contents.resetPassword, sender).text).to.include('within 60 minutes');
  });

  for (const [what, name] of [
    ['an element', '<img src=x onerror=alert(1)>'],
    ['an attribute', '" onmouseover="alert(1)'],
    ['an entity', '&lt;script&gt;'],
    ['a template', '{{7*7}}'],
    ['a placeholder', '{{token}}{{url}}'],
    ['another language’s placeholder', '${jndi:ldap://x}'],
    ['a replacement pattern', "$& $1 $` $'"],
  ] as const) {
    it(`renders a name that is ${what} literally`, () => {
      const content = { ...contents.resetPassword, username: name } as MailContent;
      const mail = renderMail(content, sender);
      expect(visible(mail.text)).to.include(`Hello ${name},`);
      const decoded = visible(mail.html).replace(/&#(\d+);/g, (_match, code: string) =>
        String.fromCharCode(Number(code)),
      );
      expect(decoded).to.include(`Hello ${name},`);
      expect(mail.html.match(/<[a-z!/][^>]*>/g)).to.deep.equal(
        renderMail(contents.resetPassword, sender).html.match(/<[a-z!/][^>]*>/g),
      );
    });
  }

  it('does not turn names into links', () => {
    const content: MailContent = {
      kind: 'invitation',
      inviter: 'visit https://evil.example/x',
      serverName: 'www.evil.example',
    };
    const { text, html } = renderMail(content, sender);
    for (const part of [text, html]) expect(part).not.to.match(/evil\.example|https:\/\/evil|www\.evil/);
  });
});
