import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { parseAddressRanges } from '@panel/kit/net';
import { createLogger } from '@panel/kit/process';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { MailContent } from '../../src/domain/mail.js';
import { sealMailContent } from '../../src/crypto/mail-content.js';
import { createSecretBox } from '../../src/crypto/secret-box.js';
import type { SettingChanges } from '../../src/domain/settings.js';
import { type MailJobDeps, pauseMs, sendDueMails } from '../../src/mail/send-due-mails.js';
import { createMailQueue } from '../../src/models/mail-queue.js';
import { createSettingsStore, type SettingsStore } from '../../src/models/settings.js';
import { serviceSecret } from '../harness.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

const never = new AbortController().signal;
const hourMs = 3_600_000;

describe('sendDueMails', () => {
  let mongo: MongoConnection;
  let smtp: SmtpServer;
  let parts: MailJobDeps & { readonly settings: SettingsStore };
  let clock: Date;
  const logged: string[] = [];
  const shown: string[] = [];

  beforeEach(async () => {
    logged.length = 0;
    clock = new Date('2026-03-01T12:00:00.000Z');
    mongo = await connectMongo(testMongoUrl('mail'), { appName: 'test' });
    parts = {
      mailQueue: createMailQueue(mongo),
      settings: createSettingsStore(mongo),
      box: createSecretBox(serviceSecret),
      log: createLogger({ service: 'test', level: 'info', stream: { write: (line) => void logged.push(line) } }),
      clock: () => clock,
      showMail: (mail) => void shown.push(mail.text),
      allowedMailAddresses: parseAddressRanges(['127.0.0.0/8']),
    };
    await createIndexes(mongo);
    smtp = await startSmtpServer();
    await set({ 'mail.driver': 'smtp', 'mail.host': '127.0.0.1', 'mail.port': smtp.port, 'mail.encryption': 'none' });
    await set({ 'general.url': 'https://panel.test', 'general.name': 'Test Panel' });
  });
  afterEach(async () => {
    await smtp.stop();
    await mongo.dropDatabase();
    await mongo.close();
  });

  const set = async (changes: SettingChanges) => parts.settings.change(changes);
  const add = async (
    to = 'ada@example.test',
    content: MailContent = { kind: 'invitation', inviter: 'Bob', serverName: 'S' },
    language = '',
  ) => {
    const id = randomUUID();
    const sealed = sealMailContent(parts.box, id, content);
    await parts.mailQueue.add({ id, to, language, content: sealed, now: clock });
    return id;
  };
  const run = async () => sendDueMails(parts, never);
  const stored = async (id: string) =>
    mongo.collection<{ _id: string; lastError: string }>('mails').findOne({ _id: id });
  const later = (ms: number) => void (clock = new Date(clock.getTime() + ms));

  it('sends a due mail once, with text and HTML', async () => {
    const id = await add();
    await run();
    await run();
    expect(smtp.mails).to.have.length(1);
    const [mail] = smtp.mails;
    expect(mail).to.include({ from: 'panel@localhost.localdomain', to: 'ada@example.test' });
    expect(mail?.source).to.include(`Message-ID: <${id}@panel.test>`);
    expect(mail?.source).to.include('Auto-Submitted: auto-generated');
    expect(mail?.source).to.match(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
    expect(await stored(id)).to.include({ state: 'sent', content: null, attempts: 1 });
  });

  it('sends 50 mails once each from ten concurrent workers', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async (_, i) => add(`user${i}@example.test`)));
    await Promise.all(Array.from({ length: 10 }, run));
    const sent = smtp.mails.map(({ source }) => /Message-ID: <(.*)@panel.test>/.exec(source)?.[1]);
    expect(sent).to.have.members(ids);
  });

  for (const [what, language, locale, expected] of [
    ['the recipient’s language', 'de-AT', 'ar', 'Einladung'],
    ['English where there are no texts in the recipient’s', 'fr', 'de', 'An invitation'],
    ['the panel’s language where the recipient’s is not known', '', 'de', 'Einladung'],
  ] as const) {
    it(`writes a mail in ${what}`, async () => {
      await set({ 'general.locale': locale });
      await add('ada@example.test', undefined, language);
      await run();
      expect(/^Subject: (.*)$/m.exec(smtp.mails[0]?.source ?? '')?.[1]).to.include(expected);
    });
  }

  it('stores no readable link', async () => {
    const token = 'tokentokentokentoken';
    const id = await add('ada@example.test', { kind: 'resetPassword', username: 'ada', token, validMinutes: 60 });
    expect(JSON.stringify(await stored(id))).not.to.include(token);
    await run();
    expect(smtp.mails[0]?.source).to.include('token');
    expect(await stored(id)).to.include({ content: null });
  });

  it('retries while the mail server is unavailable and sends once', async () => {
    const id = await add();
    await set({ 'mail.port': 1 });
    await run();
    expect(await stored(id)).to.include({ state: 'waiting', attempts: 1 });
    await set({ 'mail.port': smtp.port });
    await run();
    expect(smtp.mails).to.have.length(0);
    later(40_000);
    await run();
    expect(smtp.mails).to.have.length(1);
    expect(await stored(id)).to.include({ state: 'sent', attempts: 2 });
  });

  it('stops after the first mail while the mail server is unavailable', async () => {
    await add();
    await add();
    await set({ 'mail.port': 1 });
    await run();
    const attempts = await mongo.collection('mails').find().toArray();
    expect(attempts.map((mail) => Number(mail.attempts))).to.have.members([0, 1]);
  });

  it('gives up a mail that the server rejects for good and sends the others', async () => {
    smtp.behaviour.answers.RCPT = '550 5.1.1 no such user';
    const lost = await add('nobody@example.test');
    await run();
    expect(await stored(lost)).to.include({ state: 'failed', content: null });
    expect((await stored(lost))?.lastError).to.include('refuses the recipient (550)');
    smtp.behaviour.answers = {};
    const fine = await add();
    await run();
    expect(await stored(fine)).to.include({ state: 'sent' });
  });

  for (const [what, answers] of [
    ['is full for now', { RCPT: '452 4.2.2 mailbox full' }],
    ['greylists', { RCPT: '451 4.7.1 come back later' }],
    ['does not like the sender, which an administrator can mend', { MAIL: '550 5.7.1 not you' }],
    ['breaks off after the content', { content: '451 4.3.0 lost it' }],
    ['is not a mail server', { greeting: 'HTTP/1.1 400 Bad Request' }],
  ] as const) {
    it(`retries later when the server ${what}`, async () => {
      smtp.behaviour.answers = { ...answers };
      const id = await add();
      await run();
      expect(await stored(id)).to.include({ state: 'waiting', attempts: 1, leaseId: null });
    });
  }

  it('gives up after 30 attempts', async () => {
    smtp.behaviour.answers.RCPT = '451 4.7.1 come back later';
    const id = await add();
    for (let i = 0; i < 35; i += 1) {
      await run();
      later(2 * hourMs);
    }
    expect(await stored(id)).to.include({ state: 'failed', attempts: 30, content: null });
    expect(logged.some((line) => line.includes('given up'))).to.equal(true);
  });

  it('does not send an expired link', async () => {
    const id = await add('ada@example.test', {
      kind: 'resetPassword',
      username: 'ada',
      token: 't'.repeat(20),
      validMinutes: 60,
    });
    later(61 * 60_000);
    await run();
    expect(smtp.mails).to.have.length(0);
    expect(await stored(id)).to.include({ state: 'failed', lastError: 'its link has expired' });
  });

  it('takes over the mail of a dead worker and ignores its late result', async () => {
    const id = await add();
    const dead = await parts.mailQueue.claim(clock, 120_000);
    await run();
    expect(smtp.mails).to.have.length(0);
    later(120_001);
    await run();
    expect(smtp.mails).to.have.length(1);
    if (dead) await parts.mailQueue.postpone(dead, clock, 'too late');
    if (dead) await parts.mailQueue.end(dead, 'failed', clock);
    expect(await stored(id)).to.include({ state: 'sent' });
  });

  it('gives up a mail whose content does not open', async () => {
    const id = randomUUID();
    const sealed = sealMailContent(createSecretBox('another-secret-of-at-least-32-characters'), id, { kind: 'test' });
    await parts.mailQueue.add({ id, to: 'ada@example.test', language: '', content: sealed, now: clock });
    await run();
    expect(await stored(id)).to.include({ state: 'failed' });
  });

  it('does not accept content that was sealed for another mail', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const sealed = sealMailContent(parts.box, first, { kind: 'test' });
    await parts.mailQueue.add({ id: second, to: 'ada@example.test', language: '', content: sealed, now: clock });
    await run();
    expect(smtp.mails).to.have.length(0);
    expect(await stored(second)).to.include({ state: 'failed' });
  });

  it('logs the recipient, and not the text, when the driver is "log"', async () => {
    await set({ 'mail.driver': 'log' });
    const id = await add();
    await run();
    expect(smtp.connections()).to.equal(0);
    expect(logged.join()).to.include('ada@example.test').and.not.include('given you access');
    expect(shown.join()).to.include('given you access');
    expect(await stored(id)).to.include({ state: 'sent' });
  });

  it('logs in when there is a user name', async () => {
    smtp.behaviour.login = { user: 'me', password: 'correct horse' };
    await set({ 'mail.username': 'me', 'mail.password': parts.box.seal('correct horse', 'mail.password') });
    const id = await add();
    await run();
    expect(await stored(id)).to.include({ state: 'sent' });
  });

  it('doubles the pause after each attempt up to an hour and a quarter', () => {
    const pauses = Array.from({ length: 12 }, (_, i) => pauseMs(i + 1, () => 0.5));
    expect(pauses.slice(0, 4)).to.deep.equal([30_000, 60_000, 120_000, 240_000]);
    expect(pauses.at(-1)).to.equal(hourMs);
    expect(pauseMs(1, () => 0)).to.equal(22_500);
    expect(pauseMs(99, () => 1)).to.equal(1.25 * hourMs);
  });
});
