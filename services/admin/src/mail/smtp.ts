import { type BlockList, isIP } from 'node:net';
import { isAppError } from '@panel/kit/errors';
import { resolveOutboundHost } from '@panel/kit/net';
import type { Logger } from '@panel/kit/process';
import { createTransport } from 'nodemailer';
import type { MailDocument, ShownMail } from '../domain/mail.js';
import type { Settings } from '../domain/settings.js';
import type { RenderedMail } from '../domain/render-mail.js';

interface OutgoingMail extends RenderedMail {
  readonly to: string;
  /** Without angle brackets; equal at each attempt, to identify duplicates. */
  readonly messageId: string;
  readonly document: MailDocument | null;
}

/** Affected part of settings or mail. */
export type FailureSource = 'connection' | 'encryption' | 'login' | 'sender' | 'recipient' | 'message';

export class MailFailure extends Error {
  constructor(
    readonly source: FailureSource,
    /** Permanent failure. */
    readonly isFinal: boolean,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'MailFailure';
  }
}

const connectMs = 10_000;

export interface SendOptions {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Development: receives mails of the driver `log`. */
  readonly showMail: ((mail: ShownMail) => void) | null;
  /** Internal addresses allowed for mail servers. */
  readonly allowedAddresses: BlockList;
}

/** Resolves when accepted by the mail server; throws MailFailure. */
export async function sendMail(
  mail: OutgoingMail,
  settings: Pick<Settings, 'general' | 'mail'>,
  options: SendOptions,
): Promise<void> {
  if (settings.mail.driver === 'log') {
    // Not logged: the link opens the account.
    options.log.info({ mail: { to: mail.to } }, 'a mail was not sent, because the mail driver is "log"');
    options.showMail?.({ to: mail.to, subject: mail.subject, text: mail.text });
    return;
  }
  const address = await resolveMailHost(settings.mail.host, options);
  const transport = createTransport(transportOptions(settings, address));
  try {
    await transport.sendMail({
      from: { name: settings.mail.fromName, address: settings.mail.fromAddress },
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: `<${mail.messageId}>`,
      attachments: mail.document ? [attachmentOf(mail.document)] : [],
      // Prevents automatic responses (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: options.signal,
    });
  } catch (error) {
    throw mailFailure(error, options);
  } finally {
    transport.close();
  }
}

function attachmentOf({ fileName, content }: MailDocument) {
  return { filename: fileName, content, encoding: 'base64', contentType: 'application/pdf' };
}

/** The connection uses this address instead of the name. Throws MailFailure. */
async function resolveMailHost(host: string, { allowedAddresses, signal }: SendOptions): Promise<string> {
  try {
    return await resolveOutboundHost(host, allowedAddresses);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new MailFailure('connection', false, error.message, { cause: signal.aborted ? signal.reason : error });
  }
}

function transportOptions({ general, mail }: Pick<Settings, 'general' | 'mail'>, address: string) {
  return {
    host: address,
    // Certificates are checked against the name.
    ...(isIP(mail.host) === 0 && { tls: { servername: mail.host } }),
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

/** All optional in nodemailer's errors. */
interface SmtpError {
  readonly code?: unknown;
  /** Node's code behind nodemailer's general one. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly permanent?: unknown;
  readonly responseCode?: unknown;
}

function mailFailure(error: unknown, { log, signal }: SendOptions): MailFailure {
  if (signal.aborted) return new MailFailure('connection', false, 'the mail server took too long', { cause: error });
  const facts: SmtpError = typeof error === 'object' && error !== null ? error : {};
  const source = failureSource(facts);
  const isFinal = facts.permanent === true && (source === 'recipient' || source === 'message');
  log.info({ source, reply: errorText(error) }, 'the mail server did not accept a mail');
  return new MailFailure(source, isFinal, failureText(source, facts), { cause: error });
}

const failureTexts: Readonly<Record<FailureSource, string>> = {
  connection: 'the mail server cannot be reached, or does not speak SMTP',
  encryption: 'no encrypted connection to the mail server is possible',
  login: 'the mail server refuses the user name or the password',
  sender: 'the mail server refuses the sender address',
  recipient: 'the mail server refuses the recipient',
  message: 'the mail server refuses the message',
};

/** Own text and at most a code: the reply of a caller-chosen host is never shown. */
function failureText(source: FailureSource, { originalCode, code, responseCode }: SmtpError): string {
  const shown = [responseCode, originalCode, code].find((one) => typeof one === 'number' || typeof one === 'string');
  return shown === undefined ? failureTexts[source] : `${failureTexts[source]} (${String(shown).slice(0, 40)})`;
}

/** Node's TLS and certificate codes (tls, "X509 certificate error codes"). */
const tlsCode = /CERT|SSL|TLS|ISSUER/;

function failureSource({ code, originalCode, command }: SmtpError): FailureSource {
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

/** One line of bounded length, for the log. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown failure';
  // oxlint-disable-next-line no-control-regex -- the text comes from an untrusted mail server
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
