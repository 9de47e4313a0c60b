import { createEntry } from '@panel/outbox';
import { derivedId } from '@panel/rpc';
import type { MailEntry, MailEvent } from '../../domain/mail.js';

/** A mail about a document; the same id for the same document, event and occasion, so that it is sent once. */
export function mailEntry(documentId: string, event: MailEvent, at: Date, occasion = ''): MailEntry {
  return createEntry({ event }, at, derivedId(documentId, `mail ${event} ${occasion}`));
}
