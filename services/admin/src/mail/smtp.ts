import { type BlockList, isIP } from 'node:net';
import { isAppError } from '@panel/kit/errors';
import { resolveOutboundHost } from '@panel/kit/net';
import type { Logger } from '@panel/kit/process';
import { createTransport } from 'nodemailer';
import type { ShownMail } from '../domain/mail.js';
import type { Settings } from '../domain/settings.js';
import type { RenderedMail } from '../domain/render-mail.js';

/** A mail ready to go. */
interface OutgoingMail extends RenderedMail {
  readonly to: string;
  /** Without angle brackets; the same at each attempt, so that a mail sent twice is recognised. */
  readonly messageId: string;
}

/** Which part of the settings, or of the mail, a failure is about. */
export type FailureSource = 'connection' | 'encryption' | 'login' | 'sender' | 'recipient' | 'message';

/** A mail that could not be sent. */
export class MailFailure extends Error {
  constructor(
    readonly source: FailureSource,
    /** The mail server will never accept this mail. */
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
  /** In development: takes the mails that the driver `log` does not send. */
  readonly showMail: ((mail: ShownMail) => void) | null;
  /** Internal addresses that mail servers may have. */
  readonly allowedAddresses: BlockList;
}

/** Send one mail as the settings say. Resolves when the mail server has accepted it; throws MailFailure. */
export async function sendMail(
  mail: OutgoingMail,
  settings: Pick<Settings, 'general' | 'mail'>,
  options: SendOptions,
): Promise<void> {
  if (settings.mail.driver === 'log') {
    // The text stays out of the log: its link opens the account.
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
      // Automatic responders do not answer (RFC 3834).
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

/** The address of the mail server, which the connection uses instead of its name. Throws MailFailure. */
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

/** Properties of nodemailer's errors, each optional. */
interface SmtpError {
  readonly code?: unknown;
  /** Node's code, where nodemailer replaced it by a more general one. */
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

/** Our own words and at most a code: the answer of a host of the caller's choice is never shown. */
function failureText(source: FailureSource, { originalCode, code, responseCode }: SmtpError): string {
  const shown = [responseCode, originalCode, code].find((one) => typeof one === 'number' || typeof one === 'string');
  return shown === undefined ? failureTexts[source] : `${failureTexts[source]} (${String(shown).slice(0, 40)})`;
}

/** Node's codes for what goes wrong in TLS, certificates included (tls, "X509 certificate error codes"). */
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

/** The error for the log: one line of bounded length. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown failure';
  // oxlint-disable-next-line no-control-regex -- the text comes from an untrusted mail server
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
