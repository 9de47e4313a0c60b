import { assertNever, isAppError, type Logger } from '@panel/kit';
import type { Client } from '@panel/rpc';
import type { ActivityServiceService, EnqueueMailRequest, MailServiceService } from '@panel/protos/admin';
import type { SecretBox } from './crypto/secret-box.js';
import { linkPlace, linkTtlMs } from './domain/password-links.js';
import type { News, NewsStore } from './models/news.js';
import type { ActivityEntry, MailEntry } from './models/user-document.js';

/** Brings what users' outboxes hold to the admin service, which knows each entry by its id and takes it once. */
export interface NewsDelivery {
  /** Deliver what is there now, until the admin service does not answer: then the rest stays for the next time. */
  deliver(signal: AbortSignal): Promise<void>;
}

export interface NewsParts {
  readonly mail: Client<typeof MailServiceService>;
  readonly activity: Client<typeof ActivityServiceService>;
  readonly store: NewsStore;
  readonly box: SecretBox;
  readonly log: Logger;
}

const batchSize = 50;
const timeoutMs = 5_000;

export function createNewsDelivery(parts: NewsParts): NewsDelivery {
  const { store, log } = parts;
  let isSilent = false;
  return {
    deliver: async (signal) => {
      let isAway = false;
      for (const news of await store.pending(batchSize)) {
        if (isAway || signal.aborted) break;
        const mailIds = await deliverMails(parts, news, signal);
        const activityIds = await deliverActivity(parts, news, signal);
        isAway = mailIds.length < news.mails.length || activityIds.length < news.activity.length;
        await store.settle(news.userId, mailIds, activityIds);
      }
      if (isAway && !isSilent) log.warn('the admin service does not take mail or activity: trying again');
      isSilent = isAway;
    },
  };
}

/** Ids of the mails that are done with. */
async function deliverMails({ box, log, mail }: NewsParts, news: News, signal: AbortSignal): Promise<string[]> {
  const done: string[] = [];
  for (const entry of news.mails) {
    const call = async () => mail.enqueueMail(mailOf(box, news, entry), { signal, timeoutMs });
    if (!(await isDone(log, call))) break;
    done.push(entry.id);
  }
  return done;
}

async function deliverActivity({ activity, log }: NewsParts, news: News, signal: AbortSignal): Promise<string[]> {
  if (news.activity.length === 0) return [];
  const events = news.activity.map(eventOf);
  const call = async () => activity.recordActivity({ events }, { signal, timeoutMs });
  return (await isDone(log, call)) ? events.map(({ id }) => id) : [];
}

/**
 * Whether an entry need not be tried again: delivered, or such that it never will be, because the admin service refuses
 * what it says or SERVICE_SECRET was changed since.
 */
async function isDone(log: Logger, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    const isHopeless = isAppError(error) && (error.kind === 'invalid_argument' || error.reason === 'SECRET_UNREADABLE');
    if (isHopeless) log.error({ err: error }, 'an entry can never be delivered, dropping it');
    return isHopeless;
  }
}

function mailOf(box: SecretBox, { userId, username }: News, { id, kind, to, content }: MailEntry): EnqueueMailRequest {
  const open = () => box.open(content, linkPlace(userId));
  switch (kind) {
    case 'set_password': {
      const value = { username, token: open(), validHours: linkTtlMs.set_password / 3_600_000 };
      return { eventId: id, to, mail: { $case: 'setPassword', value } };
    }
    case 'reset_password': {
      const value = { username, token: open(), validMinutes: linkTtlMs.reset_password / 60_000 };
      return { eventId: id, to, mail: { $case: 'resetPassword', value } };
    }
    case 'email_changed':
      return { eventId: id, to, mail: { $case: 'emailChanged', value: { username, newEmail: content } } };
    default:
      return assertNever(kind);
  }
}

function eventOf(entry: ActivityEntry) {
  const { id, event, at, actorId, apiKeyId, ip, userId, properties } = entry;
  return {
    id,
    event,
    time: at,
    actorId,
    apiKeyId,
    ip,
    userAgent: '',
    userId,
    serverId: '',
    properties: { ...properties },
  };
}
