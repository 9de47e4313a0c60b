import type { MongoConnection } from '@panel/kit/mongo';
import { createEmbeddedOutboxStore, type OutboxEntry, type OutboxStore } from '@panel/outbox';
import type { MailPayload } from '../domain/outbox.js';
import { mailOutbox, notDeleted, type UserModel, usersCollection } from './user-document.js';

/** Inside user documents. */
export interface UserOutboxes {
  readonly mail: OutboxStore<MailPayload>;
  /** Replaces an earlier link and its mail. False: no such user. */
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
      // Older mails first: the update below invalidates their links, and a link without mail is harmless.
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
