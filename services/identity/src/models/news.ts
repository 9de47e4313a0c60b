import { type ActivityEntry, type MailEntry, newest, present, type UserModel } from './user-document.js';

/** What a user's outboxes hold. */
export interface News {
  readonly userId: string;
  readonly username: string;
  readonly mails: readonly MailEntry[];
  readonly activity: readonly ActivityEntry[];
}

export type NewsStore = ReturnType<typeof createNewsStore>;

/** The outboxes inside user documents. */
export function createNewsStore(users: UserModel) {
  return {
    addActivity: async (inboxUserId: string, entry: ActivityEntry): Promise<void> => {
      await users.updateOne(
        { _id: inboxUserId },
        { $set: { outboxPending: true }, $push: { activity: newest(entry) } },
      );
    },
    addMail: async (userId: string, entry: MailEntry): Promise<void> => {
      await users.updateOne({ _id: userId, ...present }, { $set: { outboxPending: true }, $push: { mails: entry } });
    },
    /** Store a link and the mail that carries it, in place of any earlier link and its mail. */
    replaceLink: async (
      userId: string,
      link: { readonly hash: string; readonly expiresAt: Date },
      mail: MailEntry,
    ): Promise<boolean> => {
      // First the older mails: their links are dead with the update after it, and a mail without its link does no harm.
      await users.updateOne({ _id: userId }, { $pull: { mails: { kind: { $ne: 'email_changed' } } } });
      const { matchedCount } = await users.updateOne(
        { _id: userId, ...present },
        { $set: { passwordReset: link, outboxPending: true }, $push: { mails: mail } },
      );
      return matchedCount === 1;
    },
    pending: async (limit: number): Promise<News[]> => {
      const found = await users
        .find({ outboxPending: true }, { username: 1, mails: 1, activity: 1 })
        .limit(limit)
        .lean<{ _id: string; username: string; mails?: MailEntry[]; activity?: ActivityEntry[] }[]>();
      return found.map(({ _id, username, mails = [], activity = [] }) => ({ userId: _id, username, mails, activity }));
    },
    /** Forget what was delivered; entries that came in the meantime stay. */
    settle: async (userId: string, mailIds: readonly string[], activityIds: readonly string[]): Promise<void> => {
      await users.updateOne(
        { _id: userId },
        { $pull: { mails: { id: { $in: [...mailIds] } }, activity: { id: { $in: [...activityIds] } } } },
      );
      await users.updateOne(
        { _id: userId, mails: { $size: 0 }, activity: { $size: 0 } },
        { $unset: { outboxPending: 1 } },
      );
    },
  };
}
