import { assertNever, type Client, isAppError, type Logger } from '@panel/kit';
import type { ActivityServiceService, EnqueueMailRequest, MailServiceService } from '@panel/protos/admin';
import type { SecretBox } from './crypto/secret-box.js';
import { linkPlace, linkTtlMs } from './domain/password-links.js';
import type { News, NewsStore } from './models/news.js';
import type { ActivityEntry, MailEntry } from './models/user-document.js';

/** Brings what users' outboxes hold to the admin service, which knows each entry by its id and takes it once. */
export interface NewsDelivery {
  /** Deliver what is there now. Entries that cannot be delivered stay for the next time. */
  deliver(): Promise<void>;
}

export interface NewsParts {
  readonly mail: Client<typeof MailServiceService>;
  readonly activity: Client<typeof ActivityServiceService>;
  readonly store: NewsStore;
  readonly box: SecretBox;
  readonly log: Logger;
}

const batchSize = 50;

export function createNewsDelivery(parts: NewsParts): NewsDelivery {
  const { store, log } = parts;
  let isSilent = false;
  return {
    deliver: async () => {
      const batch = await store.pending(batchSize);
      let failed = 0;
      for (const news of batch) {
        const [mailIds, activityIds] = await Promise.all([deliverMails(parts, news), deliverActivity(parts, news)]);
        if (mailIds.length < news.mails.length || activityIds.length < news.activity.length) failed += 1;
        await store.settle(news.userId, mailIds, activityIds);
      }
      if (failed > 0 && !isSilent)
        log.warn({ failed }, 'the admin service does not take mail or activity: trying again');
      isSilent = failed > 0;
    },
  };
}

/** Ids of the mails that are done with: taken over, or refused for ever. */
async function deliverMails(parts: NewsParts, news: News): Promise<string[]> {
  const done: string[] = [];
  for (const entry of news.mails) {
    if (await isDone(parts.log, async () => parts.mail.enqueueMail(mailOf(parts.box, news, entry))))
      done.push(entry.id);
  }
  return done;
}

async function deliverActivity({ activity, log }: NewsParts, news: News): Promise<string[]> {
  if (news.activity.length === 0) return [];
  const events = news.activity.map(eventOf);
  return (await isDone(log, async () => activity.recordActivity({ events }))) ? events.map(({ id }) => id) : [];
}

/** Whether an entry need not be tried again. One that is refused for what it says never will be accepted. */
async function isDone(log: Logger, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'invalid_argument') return false;
    log.error({ err: error }, 'the admin service refuses an entry for good, dropping it');
    return true;
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
