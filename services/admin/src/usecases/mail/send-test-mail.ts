import { randomUUID } from 'node:crypto';
import { invalidFields, rateLimited } from '@panel/kit/errors';
import type { Actor } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { messageIdOf } from '../../domain/mail.js';
import { openSecrets } from '../../crypto/setting-secrets.js';
import { renderMail } from '../../domain/render-mail.js';
import { languageOf, senderOf } from '../../domain/sender.js';
import { type FailureSource, MailFailure, sendMail } from '../../mail/smtp.js';

/** Below the 10 s limit of a response. */
const timeoutMs = 8_500;
const windowMs = 60_000;
const maxTestMails = 5;

/** Form field of a failure. */
const fieldOf: Readonly<Record<FailureSource, string>> = {
  connection: 'mail.host',
  encryption: 'mail.encryption',
  login: 'mail.password',
  sender: 'mail.from_address',
  recipient: 'to',
  message: 'to',
};

interface TestMail {
  readonly to: string;
  /** BCP 47 tag; empty: the panel's. */
  readonly language: string;
}

/** Resolves with the Message-ID. Throws INVALID_FIELDS, RATE_LIMIT_EXCEEDED. */
export async function sendTestMail(
  context: AdminContext,
  actor: Actor,
  { to, language }: TestMail,
  signal: AbortSignal,
): Promise<string> {
  await limitTestMails(context, actor);
  const { settings } = openSecrets((await context.settings.read()).settings, context.box);
  const messageId = messageIdOf(randomUUID(), settings.general.url);
  const rendered = renderMail({ kind: 'test' }, senderOf(settings), languageOf(settings, language));
  try {
    await sendMail({ ...rendered, to, messageId, document: null }, settings, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      log: context.log,
      allowedAddresses: context.allowedMailAddresses,
      showMail: context.showMail,
    });
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    throw invalidFields({ [fieldOf[error.source]]: [error.message] }, 'the mail server did not take the mail');
  }
  return `<${messageId}>`;
}

/** Each test connects to a caller-chosen host. */
async function limitTestMails({ clock, testMails }: AdminContext, actor: Actor): Promise<void> {
  const now = clock();
  const key = actor.kind === 'user' ? actor.userId : actor.kind;
  const { count, endsAt } = await testMails.count(key, windowMs, now);
  if (count <= maxTestMails) return;
  const exhausted = { name: 'test_mails', max: maxTestMails, remainingMs: endsAt.getTime() - now.getTime() };
  throw rateLimited(`at most ${maxTestMails} test mails a minute`, exhausted);
}
