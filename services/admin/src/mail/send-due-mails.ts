import { lifetimeMs, messageIdOf } from '../domain/mail.js';
import { openMailContent } from '../crypto/mail-content.js';
import type { SecretBox } from '../crypto/secret-box.js';
import { openSecrets } from '../crypto/setting-secrets.js';
import type { Settings } from '../domain/settings.js';
import type { ClaimedMail, MailQueue } from '../models/mail-queue.js';
import { renderMail } from '../domain/render-mail.js';
import { languageOf, senderOf } from '../domain/sender.js';
import type { SettingsStore } from '../models/settings.js';
import { MailFailure, sendMail, type SendOptions } from './smtp.js';

export interface MailJobDeps extends Pick<SendOptions, 'log' | 'showMail'> {
  readonly mailQueue: MailQueue;
  readonly settings: Pick<SettingsStore, 'read'>;
  readonly box: SecretBox;
  readonly clock: () => Date;
  readonly allowedMailAddresses: SendOptions['allowedAddresses'];
}

const sendTimeoutMs = 60_000;
/** Longer than any attempt: no other replica sends the same mail meanwhile. */
const leaseMs = 2 * sendTimeoutMs;
/** About a day: seven attempts in the first hour, then hourly. */
const maxAttempts = 30;
const firstPauseMs = 30_000;
const longestPauseMs = 3_600_000;
/** At process stop: aborting a mail in progress may send it twice. */
const stopGraceMs = 3_000;

/**
 * Until none is due or the mail server is unavailable. Sent once across replicas; only a crash between the server's
 * reply and its record repeats a mail, with the same Message-ID.
 */
export async function sendDueMails(deps: MailJobDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const mail = await deps.mailQueue.claim(deps.clock(), leaseMs);
    if (!mail) return;
    const { settings } = openSecrets((await deps.settings.read()).settings, deps.box);
    if (!(await sendOne(deps, mail, settings, signal))) return;
  }
}

/** False: another mail would fail too. */
async function sendOne(
  deps: MailJobDeps,
  mail: ClaimedMail,
  settings: Settings,
  stopping: AbortSignal,
): Promise<boolean> {
  const { mailQueue, log, clock } = deps;
  const giveUp = async (why: string) => {
    await mailQueue.end(mail, 'failed', clock(), why);
    log.error({ mailId: mail.id, attempts: mail.attempts, why }, 'a mail was given up');
    return true;
  };
  const content = openMailContent(deps.box, mail.id, mail.content);
  if (!content) return giveUp('SERVICE_SECRET has changed since the mail was written');
  const lifetime = lifetimeMs(content);
  if (lifetime !== null && clock().getTime() - mail.createdAt.getTime() > lifetime)
    return giveUp('its link has expired');
  try {
    const rendered = renderMail(content, senderOf(settings), languageOf(settings, mail.language));
    const document = content.kind === 'invoice' ? content.document : null;
    const outgoing = { ...rendered, to: mail.to, messageId: messageIdOf(mail.id, settings.general.url), document };
    await withAttemptSignal(stopping, async (signal) =>
      sendMail(outgoing, settings, {
        signal,
        log,
        allowedAddresses: deps.allowedMailAddresses,
        showMail: deps.showMail,
      }),
    );
  } catch (error) {
    if (!(error instanceof MailFailure)) {
      await giveUp('it cannot be written');
      throw error;
    }
    if (error.isFinal || mail.attempts >= maxAttempts) return giveUp(error.message);
    await mailQueue.postpone(mail, new Date(clock().getTime() + pauseMs(mail.attempts)), error.message);
    log.warn(
      { mailId: mail.id, attempts: mail.attempts, why: error.message },
      'a mail was not accepted, it is retried later',
    );
    return error.source === 'recipient' || error.source === 'message';
  }
  await mailQueue.end(mail, 'sent', clock());
  log.info({ mailId: mail.id, attempts: mail.attempts }, 'a mail was sent');
  return true;
}

/** Doubles up to an hour, with 25 % jitter against bursts. */
export function pauseMs(attempts: number, random: () => number = Math.random): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return Math.round(pause * (0.75 + random() / 2));
}

/** Aborts on timeout, or some time after the process begins to stop. */
async function withAttemptSignal(stopping: AbortSignal, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => {
    timer = setTimeout(() => late.abort(stopping.reason), stopGraceMs);
  };
  if (stopping.aborted) onStop();
  else stopping.addEventListener('abort', onStop, { once: true });
  try {
    await run(AbortSignal.any([late.signal, AbortSignal.timeout(sendTimeoutMs)]));
  } finally {
    stopping.removeEventListener('abort', onStop);
    clearTimeout(timer);
  }
}
