import type { Logger } from '@panel/kit';
import { createTransport } from 'nodemailer';
import type { Settings } from '../domain/settings.js';
import type { RenderedMail } from './render.js';

/** A mail ready to go. */
export interface OutgoingMail extends RenderedMail {
  readonly to: string;
  /** Without angle brackets; the same at each try, so that a mail sent twice can be told from two mails. */
  readonly messageId: string;
}

/** Which part of the settings, or of the mail, a failure is about. */
export type Culprit = 'connection' | 'encryption' | 'login' | 'sender' | 'recipient' | 'message';

/** A mail that could not be sent. */
export class MailFailure extends Error {
  constructor(
    readonly culprit: Culprit,
    /** The mail server said it will never take this mail. */
    readonly isFinal: boolean,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'MailFailure';
  }
}

const connectMs = 10_000;

/** Send one mail as the settings say. Resolves when the mail server has taken it; throws MailFailure. */
export async function sendMail(
  mail: OutgoingMail,
  settings: Pick<Settings, 'general' | 'mail'>,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<void> {
  if (settings.mail.driver === 'log') {
    const { to, subject, text } = mail;
    options.log.info({ mail: { to, subject, text } }, 'a mail, written here because the mail driver is "log"');
    return;
  }
  const transport = createTransport(transportOptions(settings));
  try {
    await transport.sendMail({
      from: { name: settings.mail.fromName, address: settings.mail.fromAddress },
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: `<${mail.messageId}>`,
      // asks out-of-office robots not to answer (RFC 3834)
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: options.signal,
    });
  } catch (error) {
    throw mailFailure(error, options.signal);
  } finally {
    transport.close();
  }
}

function transportOptions({ general, mail }: Pick<Settings, 'general' | 'mail'>) {
  return {
    host: mail.host,
    port: mail.port,
    name: new URL(general.url).hostname,
    secure: mail.encryption === 'tls',
    requireTLS: mail.encryption === 'starttls',
    ignoreTLS: mail.encryption === 'none',
    ...(mail.username === '' ? {} : { auth: { user: mail.username, pass: mail.password } }),
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: 30_000,
    socketCloseTimeout: 0,
  };
}

/** Properties of nodemailer's errors, none of which is always there. */
interface SmtpError {
  readonly code?: unknown;
  /** Node's own code, where nodemailer put a more general one in its place. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly permanent?: unknown;
}

function mailFailure(error: unknown, signal: AbortSignal): MailFailure {
  if (signal.aborted) return new MailFailure('connection', false, 'the mail server took too long', { cause: error });
  const facts: SmtpError = typeof error === 'object' && error !== null ? error : {};
  const culprit = culpritOf(facts);
  const isFinal = facts.permanent === true && (culprit === 'recipient' || culprit === 'message');
  return new MailFailure(culprit, isFinal, wordsOf(error), { cause: error });
}

/** Node's codes for what goes wrong in TLS, certificates included (tls, "X509 certificate error codes"). */
const tlsCode = /CERT|SSL|TLS|ISSUER/;

function culpritOf({ code, originalCode, command }: SmtpError): Culprit {
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return 'login';
    case 'ETLS':
    case 'EREQUIRETLS':
      return 'encryption';
    case 'EENVELOPE':
      return command === 'MAIL FROM' ? 'sender' : 'recipient';
    case 'EMESSAGE':
      return 'message';
    default:
      return typeof originalCode === 'string' && tlsCode.test(originalCode) ? 'encryption' : 'connection';
  }
}

/** What the mail server, or the way to it, said: one line of bounded length. */
function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown failure';
  // oxlint-disable-next-line no-control-regex -- a mail server's words are a stranger's words
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
