import type { AdminContext } from '../../context.js';
import { sealMailContent } from '../../crypto/mail-content.js';
import type { MailContent } from '../../domain/mail.js';

export interface NewMail {
  /** Event that causes the mail; deduplicates. */
  readonly eventId: string;
  readonly to: string;
  /** BCP 47 tag; empty: the panel's. */
  readonly language: string;
  readonly content: MailContent;
}

/** The job `send-mails` sends it. */
export async function enqueueMail(
  { box, clock, mailQueue }: AdminContext,
  { eventId, to, language, content }: NewMail,
): Promise<void> {
  await mailQueue.add({
    id: eventId,
    to,
    language,
    content: sealMailContent(box, eventId, content),
    now: clock(),
  });
}
