import type { MongoConnection } from '@panel/kit/mongo';
import { createEmbeddedOutboxStore, type OutboxEntry, type OutboxStore } from '@panel/outbox';
import type { MailPayload } from '../domain/outbox.js';
import { mailOutbox, notDeleted, type UserModel, usersCollection } from './user-document.js';

/** The outboxes inside user documents. */
export interface UserOutboxes {
  readonly mail: OutboxStore<MailPayload>;
  /** Store a link and the mail that carries it, in place of any earlier link and its mail. False when the user is gone. */
  replaceLink(
    userId: string,
    link: { readonly hash: string; readonly expiresAt: Date },
    mail: OutboxEntry<MailPayload>,
  ): Promise<boolean>;
}

export function createUserOutboxes(connection: MongoConnection, users: UserModel): UserOutboxes {
  return {
    mail: createEmbeddedOutboxStore<MailPayload>(connection, usersCollection, mailOutbox),
    replaceLink: async (userId, link, mail) => {
      // The older mails first: their links are invalid after the update below, and a mail without its link does no harm.
      await users.updateOne(
        { _id: userId, [`${mailOutbox.field}.entries`]: { $exists: true } },
        { $pull: { [`${mailOutbox.field}.entries`]: { 'payload.kind': { $ne: 'email_changed' } } } },
      );
      const { $set, $push } = mailOutbox.append(mail);
      const { matchedCount } = await users.updateOne(
        { _id: userId, ...notDeleted },
        { $set: { passwordReset: link, ...$set }, $push },
      );
      return matchedCount === 1;
    },
  };
}
