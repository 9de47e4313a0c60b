import { expect } from 'chai';
import type { MailContent } from '../../src/domain/mail.js';
import { mailSamples } from '../../src/domain/mail-samples.js';
import {
  mailLanguageOf,
  mailLanguages,
  mailTexts,
  templateNameOf,
  templateNames,
} from '../../src/domain/mail-templates.js';
import { renderMail } from '../../src/domain/render-mail.js';

const sender = { panel: 'Test Panel', url: 'https://panel.test', timezone: 'Europe/Berlin' };
const render = (content: MailContent, language: (typeof mailLanguages)[number] = 'en') =>
  renderMail(content, sender, language);
const token = 'tokentokentokentoken';
const reset: MailContent = { kind: 'resetPassword', username: 'ada', token, validMinutes: 60 };
const invoice = mailSamples['invoice.issued'];
const decoded = (html: string) =>
  html.replace(/<\/?bdi>/g, '').replace(/&#(\d+);/g, (_match, code: string) => String.fromCharCode(Number(code)));

describe('a mail in words', () => {
  for (const language of mailLanguages) {
    for (const name of templateNames) {
      it(`fills every value of the template ${name} in ${language}, without invisible characters`, () => {
        const mail = render(mailSamples[name], language);
        for (const part of [mail.subject, mail.text, mail.html]) {
          expect(part).not.to.match(/\{\{|undefined|null|NaN|Invalid|\[object/);
          expect(part).not.to.match(/\p{Cf}/u);
          expect(part).not.to.equal('');
        }
        expect(mail.subject).not.to.match(/[\r\n]/);
      });
    }

    it(`keeps the names and placeholders of the English texts in ${language}`, () => {
      const placeholdersOf = (texts: object) =>
        new Set([...JSON.stringify(texts).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));
      const { templates, labels } = mailTexts[language];
      expect(Object.keys(templates)).to.have.members(Object.keys(mailTexts.en.templates));
      expect(Object.keys(labels)).to.have.members(Object.keys(mailTexts.en.labels));
      for (const name of templateNames) {
        expect(placeholdersOf(templates[name]), name).to.deep.equal(placeholdersOf(mailTexts.en.templates[name]));
        expect(placeholdersOf({ subject: templates[name].subject }), `subject of ${name}`).to.deep.equal(
          placeholdersOf({ subject: mailTexts.en.templates[name].subject }),
        );
      }
    });
  }

  it('finds a sample for each template', () => {
    for (const name of templateNames) expect(templateNameOf(mailSamples[name])).to.equal(name);
  });

  it('takes English for a language without texts', () => {
    const tags = ['de', 'DE-at', 'ar-EG', 'en-GB', 'fr', 'deu', '', '__proto__'];
    expect(tags.map(mailLanguageOf)).to.deep.equal(['de', 'de', 'ar', 'en', 'en', 'en', 'en', 'en']);
  });

  it('declares its language and direction', () => {
    expect(render(invoice, 'de').html).to.include('<html lang="de" dir="ltr">');
    expect(render(invoice, 'ar').html).to.include('<html lang="ar" dir="rtl">');
  });

  it('writes amounts and days as its language does, in the time zone of the panel', () => {
    const late = { ...invoice, total: '1234567.5 EUR', dueAt: '2026-01-31T23:30:00.000Z' } as MailContent;
    const texts = mailLanguages.map((language) => render(late, language).text.replaceAll('\u00a0', ' '));
    expect(texts[0]).to.include('EUR 1,234,567.5 is due on February 1, 2026');
    expect(texts[1]).to.include('1.234.567,5 EUR ist am 1. Februar 2026');
    expect(texts[2]).to.include('1,234,567.5 EUR').and.include('1 فبراير 2026');
    expect(render({ ...invoice, total: '9007199254740993 JPY' } as MailContent).text).to.include(
      '9,007,199,254,740,993',
    );
    expect(render({ kind: 'creditsLow', customerName: 'ada', balance: '-0.50 EUR' }, 'de').text).to.include('-0,50');
  });

  for (const [name, words, link] of [
    ['service.suspended.operator', 'the operators of Test Panel have suspended', '/billing/services'],
    ['service.suspended.dispute', 'is disputed at your bank', '/billing/services'],
    ['service.suspended.debt', 'Buy credits to settle the debt', '/billing/credits'],
    ['service.suspended.overdue', 'Pay the invoice', '/billing/invoices'],
    ['service.suspended.balance', 'your credits are used up', '/billing/credits'],
    ['service.ended.unpaid', 'because it was not paid for', '/billing/services'],
    ['service.ended.cancelled', 'because it was cancelled', '/billing/services'],
    ['service.cancelled', 'It ends on February 28, 2026', '/billing/services'],
  ] as const) {
    it(`says in ${name} what has happened, and links what helps`, () => {
      const { text } = render(mailSamples[name]);
      expect(text).to.include(words);
      expect(text).to.include(`https://panel.test${link}\n`);
    });
  }

  it('says of no suspension but an overdue one that an invoice is not paid', () => {
    for (const name of templateNames.filter((one) => one.startsWith('service.suspended')))
      expect(/invoice|paid for/.test(render(mailSamples[name]).text.replaceAll(/https:\S*/g, '')), name).to.equal(
        name === 'service.suspended.overdue',
      );
  });

  it('contains the link once in the text and twice in the HTML', () => {
    const mail = render(reset);
    const link = `https://panel.test/password/reset#token=${token}`;
    expect(mail.text.split(link)).to.have.length(2);
    expect(mail.html).to.include(`<a href="${link}"`);
    expect(mail.html.split(link)).to.have.length(3);
  });

  it('writes addresses, numbers and durations exactly', () => {
    const changed: MailContent = { kind: 'emailChanged', username: 'ada', newEmail: 'ada@new.test' };
    expect(render(changed).text).to.include('is now ada@new.test.');
    expect(render(changed).html).to.include('is now <bdi>ada@new.test</bdi>.');
    expect(render({ ...invoice, number: 'INV/2026.01:7' } as MailContent).text).to.include('invoice INV/2026.01:7 of');
    expect(render(reset).text).to.include('within 60 minutes');
    expect(render(reset, 'de').text).to.include('innerhalb von 60 Minuten');
  });

  for (const [what, name] of [
    ['an element', '<img src=x onerror=alert(1)>'],
    ['an attribute', '" onmouseover="alert(1)'],
    ['an entity', '&lt;script&gt;'],
    ['a template', '{{7*7}}'],
    ['a placeholder', '{{token}}{{url}}'],
    ['a replacement pattern', "$& $1 $` $'"],
  ] as const) {
    it(`renders a name that is ${what} literally`, () => {
      const mail = render({ ...reset, username: name });
      expect(mail.text).to.include(`Hello ${name},`);
      expect(decoded(mail.html)).to.include(`Hello ${name},`);
      expect(mail.html.match(/<[a-z!/][^>]*>/g)).to.deep.equal(render(reset).html.match(/<[a-z!/][^>]*>/g));
    });
  }

  it('does not turn names into links', () => {
    const { text, html } = render({
      kind: 'invitation',
      inviter: 'visit https://evil.example/x',
      serverName: 'www.evil.example',
    });
    for (const part of [text, html]) expect(part).not.to.match(/evil\.example|https:\/\/evil|www\.evil/);
    expect(text).to.include('visit https: / / evil. example/ x has given');
  });
});
