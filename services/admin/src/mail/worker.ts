import type { Logger } from '@panel/kit';
import { lifetimeMs, type MailContent } from '../domain/mail.js';
import type { SecretBox } from '../domain/secret-box.js';
import { openSecrets } from '../domain/setting-secrets.js';
import type { Settings } from '../domain/settings.js';
import type { ClaimedMail, Outbox } from '../models/outbox.js';
import type { SettingsStore } from '../models/settings.js';
import { renderMail } from './render.js';
import { MailFailure, sendMail } from './send.js';

/** What the worker works with. */
export interface MailWorkerParts {
  readonly outbox: Outbox;
  readonly settings: SettingsStore;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly now: () => Date;
}

const sendTimeoutMs = 60_000;
/** Longer than any try may take, so that nobody else sends the same mail meanwhile. */
const leaseMs = 2 * sendTimeoutMs;
/** About a day: seven tries in the first hour, then one an hour. */
const maxAttempts = 30;
const firstPauseMs = 30_000;
const longestPauseMs = 3_600_000;
/** A mail under way when the process stops has this long to arrive: cutting it off may send it twice. */
const stopGraceMs = 3_000;

/** What content is sealed for; the id keeps one mail's content from being put into another. */
export function mailPurpose(id: string): string {
  return `mail.${id}`;
}

/**
 * Send what is due, one mail after the other, until there is none or the mail server cannot be reached. A mail is sent
 * once however many processes do this; only a crash between the mail server's word and ours sends it again, with the same
 * Message-ID.
 */
export async function sendDueMails(parts: MailWorkerParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const mail = await parts.outbox.claim(parts.now(), leaseMs);
    if (!mail) return;
    const { settings } = openSecrets((await parts.settings.read()).settings, parts.box);
    if (!(await trySending(parts, mail, settings, signal))) return;
  }
}

/** False when there is no use in trying another one now. */
async function trySending(
  parts: MailWorkerParts,
  mail: ClaimedMail,
  settings: Settings,
  stopping: AbortSignal,
): Promise<boolean> {
  const { outbox, log, now } = parts;
  const giveUp = async (why: string) => {
    await outbox.end(mail, 'failed', now(), why);
    log.error({ mailId: mail.id, attempts: mail.attempts, why }, 'a mail was given up');
    return true;
  };
  const content = openContent(mail, parts.box);
  if (!content) return giveUp('SERVICE_SECRET has changed since the mail was written');
  const lifetime = lifetimeMs(content);
  if (lifetime !== null && now().getTime() - mail.createdAt.getTime() > lifetime) return giveUp('it came too late');
  try {
    const rendered = renderMail(content, { panel: settings.general.name, url: settings.general.url });
    const outgoing = { ...rendered, to: mail.to, messageId: messageIdOf(mail.id, settings) };
    await withTrySignal(stopping, async (signal) => sendMail(outgoing, settings, { signal, log }));
  } catch (error) {
    if (!(error instanceof MailFailure)) {
      await giveUp('it cannot be written');
      throw error;
    }
    if (error.isFinal || mail.attempts >= maxAttempts) return giveUp(error.message);
    await outbox.postpone(mail, new Date(now().getTime() + pauseMs(mail.attempts)), error.message);
    log.warn(
      { mailId: mail.id, attempts: mail.attempts, why: error.message },
      'a mail was not taken, trying again later',
    );
    return error.culprit === 'recipient' || error.culprit === 'message';
  }
  await outbox.end(mail, 'sent', now());
  log.info({ mailId: mail.id, attempts: mail.attempts }, 'a mail was sent');
  return true;
}

function openContent(mail: ClaimedMail, box: SecretBox): MailContent | null {
  const json = box.open(mail.content, mailPurpose(mail.id));
  // sealed by us after a check: nobody else can have written it
  return json ? (JSON.parse(json) as MailContent) : null;
}

/** Twice as long after each try, up to an hour, give or take a quarter so that many do not come back together. */
export function pauseMs(attempts: number, random: () => number = Math.random): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return Math.round(pause * (0.75 + random() / 2));
}

/** The Message-ID of a mail, in the panel's own domain. */
export function messageIdOf(id: string, settings: Pick<Settings, 'general'>): string {
  return `${id}@${new URL(settings.general.url).hostname.replace(/^\[|\]$/g, '')}`;
}

/** Run one try with a signal that ends it when it takes too long, or some time after the process has begun to stop. */
async function withTrySignal(stopping: AbortSignal, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
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
